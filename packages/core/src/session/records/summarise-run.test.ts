import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { openRecorder } from "./recorder.ts";
import type { SessionRecord } from "./session-record.ts";
import { summariseRun } from "./summarise-run.ts";
import {
  ACTIVATION,
  clock,
  EXECUTION,
  FORK,
  NOW,
  POLICY,
  READ,
  REFUSAL,
  REFUSED_READ,
} from "./testing/sample-records.ts";

const { exitCode: _exitCode, ...ENDED } = EXECUTION;
const REMOTE = {
  backend: "ssh",
  place: "anna@build.example",
  strength: "reduced",
  weaknesses: [],
  memoryLimit: "process",
} as const;
const UNCONFINED = { backend: "none", strength: "none", weaknesses: [], memoryLimit: "none" } as const;
const GIVEN = "arguments: tax.pdf; network: example.org";
const UNREACHED = {
  code: "network-refused",
  severity: "warning",
  message: "a.example:443 was not reached, once: it is not granted.",
  file: "x",
} as const;
const UNCONFINED_NOTICE = {
  ...UNREACHED,
  code: "script-unconfined",
  message: "The script ran without a sandbox.",
} as const;
const REFUSED_RUN = {
  kind: "script-execution",
  skillName: "pdf",
  path: "scripts/x.sh",
  status: "error",
  diagnostics: [],
} as const;

test("a run is told in order: what, which skill, with what outcome and why", async () => {
  const { arguments: _, ...plain } = ACTIVATION;
  const runFolder = await record([
    POLICY,
    ACTIVATION,
    { ...plain, source: "preload", duplicate: true, drifted: true },
    READ,
    { ...READ, status: "binary", digestMatchesRegistry: true },
    REFUSED_READ,
    EXECUTION,
    { ...EXECUTION, exitCode: 0, sandbox: REMOTE, diagnostics: [UNREACHED] },
    { ...EXECUTION, exitCode: 0, outcome: "timed-out", timedOut: true },
    { ...ENDED, outcome: "cancelled", cancelled: true },
    { ...ENDED, signal: "SIGKILL", limit: "memory", sandbox: UNCONFINED, diagnostics: [UNCONFINED_NOTICE] },
    { ...REFUSED_RUN, error: { code: "script-not-allowlisted", message: "No." } },
    REFUSAL,
    FORK,
    { ...FORK, event: "returned", summaryCharacters: 1 },
  ]);
  appendFileSync(join(runFolder, "journal.jsonl"), "torn");
  await record([{ ...REFUSAL, what: "dependencies" }], runFolder);
  const { events, diagnostics } = await summariseRun(runFolder);
  expect(diagnostics).toEqual([]);
  expect(events.map(({ sequence, time, runId }) => [sequence, time, runId])).toEqual(
    events.map((_event, index) => [index + 1, NOW, "42"]),
  );
  const refused = "tool-denied: Not covered by allowed-tools. (pdf: deny (config.yaml:3))";
  expect(
    events.map(({ what, skill, subject, outcome, reason }) => [what, skill, subject, outcome, reason]),
  ).toEqual([
    ["policy", undefined, "default, interactive", "done", "1 skill from 1 root"],
    ["activate", "pdf", "tax.pdf", "done", "asked by model"],
    [
      "activate",
      "pdf",
      undefined,
      "already-loaded",
      "asked by preload, with a file that had changed since the snapshot",
    ],
    ["read", "pdf", "references/fields.md", "done", "the file had changed since it was indexed"],
    ["read", "pdf", "references/fields.md", "done", undefined],
    ["read", "pdf", "../secret", "refused", "resource-path-invalid: The path leaves the skill."],
    ["run", "pdf", "scripts/fill.py", "failed", `exit code 3; ${GIVEN}`],
    [
      "run",
      "pdf",
      "scripts/fill.py",
      "done",
      `exit code 0, on anna@build.example; ${GIVEN}; a.example:443 was not reached, once: it is not granted`,
    ],
    ["run", "pdf", "scripts/fill.py", "failed", `ended at its deadline; ${GIVEN}`],
    ["run", "pdf", "scripts/fill.py", "failed", `cancelled; ${GIVEN}`],
    [
      "run",
      "pdf",
      "scripts/fill.py",
      "failed",
      `ended by SIGKILL, at its limit of memory; ${GIVEN}; The script ran without a sandbox`,
    ],
    ["run", "pdf", "scripts/x.sh", "refused", "script-not-allowlisted: No."],
    ["tool", "pdf", "Bash rm -rf x", "refused", refused],
    ["fork", undefined, "child", "done", "began with pdf"],
    ["fork", undefined, "child", "done", "gave back a summary of 1 character"],
    [
      "recover",
      undefined,
      expect.stringMatching(/^journal\.jsonl\.torn-/),
      "done",
      "a line of 4 bytes was cut short by a crash and moved aside",
    ],
    ["dependencies", "pdf", "Bash rm -rf x", "refused", refused],
  ]);
});

test("what was offered, seen in use and said about it is told, with the message where that was recorded", async () => {
  const use = { kind: "implicit-use", name: "pdf", subject: "scripts/fill.py" } as const;
  const runFolder = await record([
    {
      kind: "offer",
      message: "fill it",
      skills: [
        { name: "pdf", tier: "activate" },
        { name: "docx", tier: "suggest" },
      ],
    },
    { kind: "offer", skills: [] },
    { ...use, how: "script", certainty: "sure" },
    { ...use, how: "command", certainty: "likely", subject: "qpdf" },
    { kind: "outcome", name: "docx", outcome: "wrong", message: "fill it" },
    { kind: "outcome", name: "pdf", outcome: "used" },
  ]);
  const { events } = await summariseRun(runFolder);
  expect(
    events.map(({ what, skill, subject, outcome, reason }) => [what, skill, subject, outcome, reason]),
  ).toEqual([
    ["offer", undefined, "fill it", "done", "to be used: pdf; named: docx"],
    ["offer", undefined, undefined, "done", "nothing"],
    ["use", "pdf", "scripts/fill.py", "done", "the agent ran it"],
    ["use", "pdf", "qpdf", "done", "likely, the agent called a program that it is about"],
    ["outcome", "docx", "fill it", "done", "the wrong skill"],
    ["outcome", "pdf", undefined, "done", "used"],
  ]);
});

test("what cannot be read is told beside what can", async () => {
  const runFolder = await record([REFUSAL]);
  appendFileSync(join(runFolder, "journal.jsonl"), "{}\n");
  const { events, diagnostics } = await summariseRun(runFolder);
  expect([events.length, diagnostics.map(({ code }) => code)]).toEqual([1, ["journal-line-damaged"]]);
});

test("a folder without a run is an error that says what was looked for", async () => {
  const runFolder = temporaryDirectory();
  await expect(summariseRun(runFolder)).rejects.toMatchObject({
    code: "run-not-found",
    message: `There is no run in ${runFolder}: it has no journal.jsonl. Pass the folder that a session recorded into.`,
  });
});

async function record(
  records: readonly SessionRecord[],
  runFolder = join(temporaryDirectory(), "run"),
): Promise<string> {
  const recorder = await openRecorder({ runFolder, runId: "42", clock });
  for (const one of records) await recorder.append(one);
  return runFolder;
}
