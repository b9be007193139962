import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { basename, join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { describe, expect, test } from "vitest";
import { bundleSource } from "../../../kit/src/testing/bundle-source.ts";
import { killHard, runNode, startNode, waitForOutput } from "../../../kit/src/testing/run-node.ts";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import {
  type AuditEntry,
  type AuditLine,
  appendAudit,
  auditActor,
  auditPath,
  readAudit,
  verifyAudit,
} from "./audit-log.ts";

const DISABLE: AuditEntry = { action: "disable", skill: "gh", scope: "bundled", decision: "allow" };
const clock = () => Date.UTC(2026, 0, 2, 3, 4, 5);

describe("appendAudit", () => {
  test("writes a line that names its own hash and that of the line before", async () => {
    const file = auditPath(join(temporaryDirectory(), "home"));
    const first = await append(file, DISABLE);
    const second = await append(file, { action: "trust", path: "/p", decision: "allow", reason: "asked" });
    const [line = ""] = readFileSync(file, "utf8").split("\n");
    expect(line).toBe(
      `{"sequence":1,"time":"2026-01-02T03:04:05.000Z","actor":"user","action":"disable","skill":"gh","scope":"bundled",` +
        `"decision":"allow","previous":"sha256:${"0".repeat(64)}","hash":"${first.hash}"}`,
    );
    expect(digestBytes(Buffer.from(line.slice(0, line.lastIndexOf(',"hash"'))))).toBe(first.hash);
    expect(second).toEqual({
      sequence: 2,
      time: "2026-01-02T03:04:05.000Z",
      actor: "user",
      action: "trust",
      path: "/p",
      decision: "allow",
      reason: "asked",
      previous: first.hash,
      hash: second.hash,
    });
    expect(await lines(file)).toEqual([
      { line: 1, record: first, problems: [] },
      { line: 2, record: second, problems: [] },
    ]);
  });

  test("the log and its folder are the owner's alone", async () => {
    const home = join(temporaryDirectory(), "home");
    await append(auditPath(home), DISABLE);
    expect([statSync(home).mode & 0o777, statSync(auditPath(home)).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readdirSync(home)).toEqual(["audit.jsonl"]);
  });

  test("text with newlines, quotes and control characters stays on its line", async () => {
    const file = auditPath(temporaryDirectory());
    const record = await append(file, { ...DISABLE, reason: 'a\n"b"\u0000\u001b[31m\ud800,"hash":"x"}' });
    expect(await verifyAudit(file)).toEqual({
      ok: true,
      records: 1,
      head: { sequence: 1, hash: record.hash },
      problems: [],
    });
  });

  test("a record beyond the line limit is refused and the log stays as it was", async () => {
    const file = auditPath(temporaryDirectory());
    await append(file, DISABLE);
    const before = readFileSync(file);
    await expect(append(file, { ...DISABLE, reason: "x".repeat(70_000) })).rejects.toMatchObject({
      code: "audit-record-too-long",
    });
    expect(readFileSync(file)).toEqual(before);
  });

  test("a link or a FIFO in the log's place is refused without waiting", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "other"), "");
    symlinkSync("other", join(directory, "link"));
    execFileSync("mkfifo", [join(directory, "fifo")]);
    await expect(append(join(directory, "link"), DISABLE)).rejects.toMatchObject({
      code: "audit-unavailable",
    });
    await expect(append(join(directory, "fifo"), DISABLE)).rejects.toMatchObject({
      code: "audit-unavailable",
    });
    await expect(verifyAudit(join(directory, "fifo"))).rejects.toMatchObject({ code: "audit-unavailable" });
  });
});

test("the actor is the operating system's name for the user", () => {
  expect(auditActor()).toBe(userInfo().username);
});

describe("after a crash", () => {
  test.each([1, 40, 230])(
    "a last line cut after %i bytes is moved aside, recorded and followed by a valid chain",
    async (kept) => {
      const file = auditPath(temporaryDirectory());
      const first = await append(file, DISABLE);
      await append(file, { ...DISABLE, skill: "pdf" });
      const start = readFileSync(file).indexOf("\n") + 1;
      truncateSync(file, start + kept);
      const torn = readFileSync(file).subarray(start);
      expect(await verifyAudit(file)).toMatchObject({
        ok: false,
        records: 1,
        problems: [{ line: 2 }, { line: 2 }],
      });

      const third = await append(file, { ...DISABLE, action: "enable" });
      const aside = `${file}.torn-${digestBytes(torn).slice(7, 23)}`;
      expect(readFileSync(aside)).toEqual(torn);
      const [, recovery, last] = await lines(file);
      expect(recovery).toEqual({
        line: 2,
        record: {
          sequence: 2,
          time: third.time,
          actor: "user",
          action: "recover",
          path: aside,
          digest: digestBytes(torn),
          decision: "allow",
          reason: `a line of ${kept} bytes was cut short and moved aside`,
          previous: first.hash,
          hash: third.previous,
        },
        problems: [],
      });
      expect(last).toEqual({ line: 3, record: third, problems: [] });
      expect((await verifyAudit(file)).ok).toBe(true);
    },
  );

  test("a first line cut short is moved aside too", async () => {
    const file = auditPath(temporaryDirectory());
    writeFileSync(file, '{"sequence":1,');
    await append(file, DISABLE);
    expect(await verifyAudit(file)).toMatchObject({ ok: true, records: 2 });
    expect(readdirSync(join(file, ".."))).toEqual([
      basename(file),
      expect.stringMatching(/^audit\.jsonl\.torn-[0-9a-f]{16}$/),
    ]);
  });

  test("a remainder longer than the lines that replace it leaves nothing behind", async () => {
    const file = auditPath(temporaryDirectory());
    await append(file, DISABLE);
    appendFileSync(file, "x".repeat(5000));
    await append(file, DISABLE);
    expect(await verifyAudit(file)).toMatchObject({ ok: true, records: 3 });
  });

  test("a log whose last line was changed is not continued and not touched", async () => {
    const file = auditPath(temporaryDirectory());
    await append(file, DISABLE);
    const text = readFileSync(file, "utf8").replace("gh", "xx");
    writeFileSync(file, text);
    await expect(append(file, DISABLE)).rejects.toMatchObject({ code: "audit-damaged" });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("bytes that cannot be a line of the log are not mistaken for one that was cut short", async () => {
    const file = auditPath(temporaryDirectory());
    writeFileSync(file, Buffer.alloc(200_000));
    await expect(append(file, DISABLE)).rejects.toMatchObject({ code: "audit-damaged" });
    expect(statSync(file).size).toBe(200_000);
  });
});

describe("real processes", () => {
  test("four processes that append at once leave one valid chain with every record", async () => {
    const { file, module } = await compiledAppend();
    await Promise.all(["a", "b", "c", "d"].map((actor) => runNode(APPEND, [module, file, actor, "12"])));
    expect(await verifyAudit(file)).toMatchObject({ ok: true, records: 48, problems: [] });
    const seen = (await lines(file)).map(({ record }) => `${record!.actor} ${record!.skill}`);
    const expected = ["a", "b", "c", "d"].flatMap((actor) =>
      Array.from({ length: 12 }, (_, round) => `${actor} s${round}`),
    );
    expect(seen.toSorted()).toEqual(expected.toSorted());
  });

  test("processes killed while appending lose no record that was acknowledged", async () => {
    const { file, module } = await compiledAppend();
    const acknowledged: string[] = [];
    for (let round = 0; round < 6; round++) {
      const child = startNode(APPEND, [module, file, `v${round}`, "100000"]);
      child.stdout.on("data", (text: Buffer) => acknowledged.push(...String(text).trim().split("\n")));
      await waitForOutput(child, `v${round} s${round * 2}`);
      await killHard(child);
    }
    await append(file, DISABLE);
    expect((await verifyAudit(file)).problems).toEqual([]);
    const seen = new Set((await lines(file)).map(({ record }) => `${record!.actor} ${record!.skill}`));
    expect(acknowledged.filter((line) => /^v\d s\d+$/.test(line) && !seen.has(line))).toEqual([]);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});

const APPEND = `
const [, module, file, actor, rounds] = process.argv;
const { appendAudit } = await import(module);
for (let round = 0; round < Number(rounds); round++) {
  const record = { action: "enable", skill: "s" + round, decision: "allow" };
  for (let appended = false; !appended; ) {
    try {
      await appendAudit({ file, record, clock: Date.now, actor });
      appended = true;
    } catch (error) {
      // On a busy machine the others may hold the lock for longer than one waits for it.
      if (error.code !== "lock-timeout") throw error;
    }
  }
  process.stdout.write(actor + " " + record.skill + "\\n");
}
`;

async function compiledAppend(): Promise<{ file: string; module: string }> {
  const directory = temporaryDirectory();
  const [module] = await bundleSource(join(directory, "bundled"), "core/src/audit/audit-log.ts");
  return { file: join(directory, "log", "audit.jsonl"), module };
}

function append(file: string, record: AuditEntry) {
  return appendAudit({ file, record, clock, actor: "user" });
}

async function lines(file: string): Promise<AuditLine[]> {
  const found: AuditLine[] = [];
  for await (const line of readAudit(file)) found.push(line);
  return found;
}
