import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import {
  type Approval,
  approvalPath,
  approveSkill,
  readApprovals,
  withdrawApproval,
} from "./approval-store.ts";

const digestOf = (character: string): Digest => `sha256:${character.repeat(64)}`;
const clock = (): number => Date.UTC(2026, 0, 5);
const approval = (character: string): Omit<Approval, "approvedAt"> => ({
  digest: digestOf(character),
  skill: "deploy",
  verdict: "dangerous",
  criticalRules: ["EX1"],
  forced: false,
});

test("a home without a store approves nothing, and reading creates none", () => {
  const home = join(temporaryDirectory(), "home");
  expect(readApprovals(home)).toEqual({ file: join(home, "approvals.json"), approvals: new Map() });
  expect(() => readFileSync(approvalPath(home))).toThrow("ENOENT");
});

test("what was approved is read back until it is taken back", async () => {
  const home = temporaryDirectory();
  const given = await approveSkill({ home, approval: approval("a"), clock });
  expect(given).toEqual({ ...approval("a"), approvedAt: "2026-01-05T00:00:00.000Z" });
  expect(readApprovals(home).approvals).toEqual(new Map([[digestOf("a"), given]]));
  expect(await withdrawApproval({ home, digest: digestOf("b") })).toBe(false);
  expect(await withdrawApproval({ home, digest: digestOf("a") })).toBe(true);
  expect(readApprovals(home).approvals.size).toBe(0);
});

test("the same approvals give the same bytes, and those who write at once lose none", async () => {
  const texts = await Promise.all(
    ["abcd", "dcba"].map(async (order) => {
      const home = temporaryDirectory();
      await Promise.all([...order].map((one) => approveSkill({ home, approval: approval(one), clock })));
      return readFileSync(approvalPath(home), "utf8");
    }),
  );
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).toContain(digestOf("d"));
});

const entry = {
  skill: "x",
  verdict: "dangerous",
  criticalRules: [],
  forced: false,
  approvedAt: "2026-01-05",
};
const store = (value: unknown): string =>
  JSON.stringify({ version: 1, approvals: { [digestOf("a")]: value } });

test.each([
  ["no JSON", "{", "It is not JSON"],
  ["another version", '{"version":2,"approvals":{}}', "`version` must be 1, but is 2"],
  ["an unknown key", '{"version":1,"approvals":{},"x":1}', "`x` is not a known key"],
  [
    "a key that is not a digest",
    '{"version":1,"approvals":{"sha256:x":{}}}',
    "must be sha256: and 64 hexadecimal digits",
  ],
  ["an entry that is none", store(true), "must be an object"],
  ["an entry without a skill", store({ ...entry, skill: 1 }), ".skill` must be text, but is 1"],
  ["rules that are none", store({ ...entry, criticalRules: "EX1" }), ".criticalRules` must be a list"],
  [
    "a force that is neither true nor false",
    store({ ...entry, forced: "yes" }),
    ".forced` must be true or false",
  ],
  ["a time that is none", store({ ...entry, approvedAt: "then" }), ".approvedAt` must be a time"],
  ["an entry with more", store({ ...entry, everything: true }), ".everything` is not a known key"],
])("a store with %s approves nothing, is an error and is left as it is", async (_what, text, problem) => {
  const home = temporaryDirectory();
  writeFileSync(approvalPath(home), text);
  const invalid = expect.objectContaining({
    code: "approvals-invalid",
    message: expect.stringContaining(problem),
  });
  expect(() => readApprovals(home)).toThrow(invalid);
  await expect(approveSkill({ home, approval: approval("b"), clock })).rejects.toThrow(invalid);
  expect(readFileSync(approvalPath(home), "utf8")).toBe(text);
});

test("a store that would grow beyond what is read is not written", async () => {
  const home = temporaryDirectory();
  const long = { ...approval("a"), criticalRules: ["x".repeat(5 * 1024 * 1024)] };
  await expect(approveSkill({ home, approval: long, clock })).rejects.toMatchObject({
    code: "approvals-full",
  });
  expect(readApprovals(home).approvals.size).toBe(0);
});
