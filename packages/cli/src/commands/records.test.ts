import type { TimelineEvent } from "@skillet/core/internal";
import { expect, test } from "vitest";
import { plainLayout } from "../testing/plain-layout.ts";
import { type RunTree, timeline } from "./records.ts";

function run(...events: readonly Partial<TimelineEvent>[]): RunTree {
  return {
    runFolder: "/run",
    diagnostics: [],
    children: [],
    events: events.map((event, index) => ({
      sequence: index + 1,
      time: "2026-11-15T08:00:00.000Z",
      runId: "run-1",
      what: "read",
      outcome: "done",
      ...event,
    })),
  };
}

test("on a wide screen what, whom and why stand in columns", () => {
  const failed = {
    what: "run",
    skill: "pdf",
    subject: "scripts/fill.py",
    outcome: "failed",
    reason: "exit code 2",
  } as const;
  expect(timeline(run({ skill: "pdf", subject: "a.md" }, failed), plainLayout())).toEqual([
    "2026-11-15 (UTC)",
    "08:00:00  ✓ read  pdf  a.md",
    "08:00:00  ! run   pdf  scripts/fill.py",
    "                  failed: exit code 2",
  ]);
});

test("on a narrow screen they stand below each other", () => {
  const refused = {
    skill: "pdf",
    subject: "../x",
    outcome: "refused",
    reason: "it leaves the skill",
  } as const;
  expect(timeline(run(refused), plainLayout(40))).toEqual([
    "2026-11-15 (UTC)",
    "08:00:00  ✗ read",
    "    pdf  ../x",
    "    refused: it leaves the skill",
  ]);
});

test("what is no time is shown as it is, and forges nothing", () => {
  expect(timeline(run({ time: "\x1b[2J tomorrow" }), plainLayout())).toEqual(["␛[2J tom  ✓ read"]);
});

test("a child's entries are as wide as the screen allows, however deep it is", () => {
  let tree = run({ subject: "word ".repeat(60) });
  for (let depth = 0; depth < 8; depth++)
    tree = { ...run({ what: "fork", subject: "child" }), children: [{ runId: "child", run: tree }] };
  const lines = timeline(tree, plainLayout(24));
  expect(lines.filter((line) => line.length > 24)).toEqual([]);
});
