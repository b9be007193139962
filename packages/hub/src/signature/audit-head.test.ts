import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { appendAudit, verifyAudit } from "@skillet/core";
import { auditPath } from "@skillet/core/internal";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { type AuditHead, signHead, verifyHead } from "./audit-head.ts";
import { signTree } from "./envelope.ts";
import { createKey } from "./key.ts";

const key = createKey();

describe("a signed head of the audit log", () => {
  test("stays good while the log grows", async () => {
    const { file, head, check } = await signedLog(3);
    expect(await check()).toEqual({ state: "intact", head, later: 0 });
    await append(file);
    expect(await check()).toEqual({ state: "intact", head, later: 1 });
  });

  test("shows that the end was cut off, which the chain alone cannot", async () => {
    const { file, head, check } = await signedLog(3);
    const lines = readFileSync(file, "utf8").split(/(?<=\n)/);
    writeFileSync(file, lines.slice(0, 2).join(""));
    expect((await verifyAudit(file)).ok).toBe(true);
    expect(await check()).toEqual({ state: "cut-off", head, last: 2 });
    writeFileSync(file, "");
    expect(await check()).toEqual({ state: "cut-off", head, last: 0 });
  });

  test("shows that the log was written anew", async () => {
    const { file, head, check } = await signedLog(3);
    writeFileSync(file, "");
    for (let count = 0; count < 4; count++) await append(file, "another");
    expect((await verifyAudit(file)).ok).toBe(true);
    expect(await check()).toEqual({ state: "rewritten", head, found: expect.stringMatching(/^sha256:/) });
  });

  test("a record changed before it is named", async () => {
    const { file, head, check } = await signedLog(3);
    writeFileSync(file, readFileSync(file, "utf8").replace("pdf-1", "gif-1"));
    expect(await check()).toEqual({
      state: "damaged",
      head,
      problem: expect.stringMatching(/^line 2 was changed/),
    });
  });

  test("counts only with a trusted key, and only as a head", async () => {
    const { file, head, check } = await signedLog(1);
    expect(await check(createKey())).toEqual({ state: "untrusted" });
    const statement = { name: "x", treeDigest: head.hash };
    expect(await verifyHead({ file, trustedKeys: [key], envelope: signTree({ key, statement }) })).toEqual({
      state: "not-a-head",
    });
  });
});

async function signedLog(length: number) {
  const file = auditPath(join(temporaryDirectory(), "home"));
  for (let count = 0; count < length; count++) await append(file, `pdf-${count}`);
  const head = (await verifyAudit(file)).head as AuditHead;
  const envelope = signHead({ head, key });
  const check = (trusted = key) => verifyHead({ envelope, trustedKeys: [trusted], file });
  return { file, head, check };
}

function append(file: string, skill = "gh") {
  const record = { action: "install", skill, decision: "allow" } as const;
  return appendAudit({ file, record, clock: () => 0, actor: "user" });
}
