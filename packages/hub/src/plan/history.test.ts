import { expect, test } from "vitest";
import type { LockEntry } from "../lock/lock-entry.ts";
import { findVersion, type HistoryEntry } from "./history.ts";
import type { HubParts } from "./hub-parts.ts";

const parts = { scope: { kind: "user" }, root: "/desk", userHome: "/home/me" } as unknown as HubParts;
const entry = { source: "npm:pdf", digest: `sha256:${"c".repeat(64)}` } as LockEntry;

function version(digest: string, resolved: object, action: HistoryEntry["action"] = "update"): HistoryEntry {
  return {
    time: "",
    actor: "me",
    action,
    source: "npm:pdf",
    digest: `sha256:${digest.padEnd(64, "0")}`,
    resolved: JSON.stringify(resolved),
    replaces: `sha256:${"9".repeat(64)}`,
  };
}

const HISTORY: readonly HistoryEntry[] = [
  version("aaaaaaa1", {
    kind: "npm",
    name: "pdf",
    version: "1.0.0",
    integrity: `sha512-${"A".repeat(86)}==`,
  }),
  version("aaaaaaa2", {
    kind: "npm",
    name: "pdf",
    version: "1.1.0",
    integrity: `sha512-${"B".repeat(86)}==`,
  }),
  version("b", { kind: "archive", location: "/x.zip", digest: `sha256:${"e".repeat(64)}` }),
  version("c".repeat(64), {
    kind: "git",
    url: "https://github.com/o/r",
    commit: "d".repeat(40),
    ref: "refs/tags/v2.0.0",
  }),
  version("f", {
    kind: "git",
    url: "https://github.com/o/r",
    commit: "1".repeat(40),
    ref: "refs/heads/main",
  }),
];

const find = (to: string): string =>
  findVersion(parts, HISTORY, entry, { name: "pdf", to }).digest.slice(7, 15);

test.each([
  ["a digest", "aaaaaaa1", "aaaaaaa1"],
  ["a digest with its kind", "sha256:aaaaaaa2", "aaaaaaa2"],
  ["a version", "1.1.0", "aaaaaaa2"],
  ["the digest of an artefact", "eeeeeee", "b0000000"],
  ["a tag", "v2.0.0", "cccccccc"],
  ["a commit", "ddddddd", "cccccccc"],
  ["a commit in capitals", "DDDDDDD", "cccccccc"],
])("a version is found by %s", (_what, to, digest) => {
  expect(find(to)).toBe(digest);
});

test("what begins several versions is none of them, and they are named", () => {
  expect(() => find("aaaaaaa")).toThrow(
    expect.objectContaining({ code: "version-ambiguous", message: expect.stringContaining("aaaaaaa20000") }),
  );
});

test("where the history has other versions that cannot be gone back to, it is said why", () => {
  const own = [version("c".repeat(64), {})];
  const why = (history: readonly HistoryEntry[]): string => {
    try {
      return findVersion(parts, history, entry, { name: "pdf" }).digest;
    } catch (error) {
      return String(error);
    }
  };
  expect(why(own)).toContain("no earlier version is known");
  const removed = { ...version("a", {}), action: "remove" } as const;
  expect(why([version("a", {}), removed, ...own])).toContain("before it was last removed");
});

test.each(["dddddd", "main", "1.1", "", "sha256:", "fffffff"])("%j names no version", (to) => {
  expect(() => find(to)).toThrow(expect.objectContaining({ code: "no-earlier-version" }));
});
