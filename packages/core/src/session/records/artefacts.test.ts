import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { discoverSkills } from "../../registry/discover-skills.ts";
import { indexResources } from "../../registry/index-resources.ts";
import { MemorySource } from "../../source/memory-source.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { writeArtefacts } from "./artefacts.ts";
import { openRecorder } from "./recorder.ts";
import type { SessionRecord } from "./session-record.ts";
import { presentSkills } from "./testing/recorded-run.ts";
import {
  ACTIVATION,
  clock,
  digestOf,
  EXECUTION,
  FORK,
  NOW,
  POLICY,
  READ,
  REFUSAL,
  REFUSED_READ,
} from "./testing/sample-records.ts";

const NOTHING = {
  snapshot: { version: digestOf("0"), roots: [], skills: [], diagnostics: [] },
  resources: new Map(),
};
const SEALED = { contentDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) };

test("activations are written in the reference's shape, with both views of their place", async () => {
  const runFolder = await record([POLICY, ACTIVATION, { ...ACTIVATION, source: "parent", duplicate: true }]);
  expect(read(runFolder, "skill-activations.json")).toEqual({
    type: "skillet.skill-activations",
    version: 1,
    generatedAt: NOW,
    journalSequence: 3,
    activations: [
      { sequence: 2, source: "model", duplicate: false },
      { sequence: 3, source: "parent", duplicate: true },
    ].map((one) => ({
      ...one,
      name: "pdf",
      runId: "42",
      activatedAt: NOW,
      cfcPromptRole: "context",
      sourceId: "file:/skills",
      skillPath: "/skills/pdf/SKILL.md",
      skillDir: "/skills/pdf",
      sandboxSkillPath: "/sandbox/skills/pdf/SKILL.md",
      sandboxSkillDir: "/sandbox/skills/pdf",
      digest: digestOf("1"),
      treeDigest: digestOf("2"),
      arguments: "tax.pdf",
      drifted: false,
      diagnostics: [],
    })),
    ...SEALED,
  });
});

test("reads are written in the reference's shape, refusals among them", async () => {
  const runFolder = await record([READ, REFUSED_READ]);
  const frame = { type: "skillet.skill-resource-read", runId: "42", readAt: NOW, cfcPromptRole: "context" };
  expect(read(runFolder, "skill-resource-reads.json")).toEqual({
    type: "skillet.skill-resource-reads",
    version: 1,
    generatedAt: NOW,
    journalSequence: 2,
    reads: [
      {
        ...frame,
        outputId: "42:1",
        skillName: "pdf",
        path: "references/fields.md",
        status: "read",
        kind: "reference",
        resourcePath: "/skills/pdf/references/fields.md",
        sandboxResourcePath: "/sandbox/skills/pdf/references/fields.md",
        registryDigest: digestOf("3"),
        observedDigest: digestOf("4"),
        digestMatchesRegistry: false,
        registrySizeBytes: 10,
        observedSizeBytes: 12,
        contentKind: "text",
        maxBytes: 64_000,
        truncated: false,
        diagnostics: READ.diagnostics,
      },
      {
        ...frame,
        outputId: "42:2",
        skillName: "pdf",
        path: "../secret",
        status: "error",
        diagnostics: [],
        error: REFUSED_READ.error,
      },
    ],
    ...SEALED,
  });
});

test("executions are written in the reference's shape", async () => {
  const runFolder = await record([EXECUTION]);
  expect(read(runFolder, "skill-script-executions.json")).toEqual({
    type: "skillet.skill-script-executions",
    version: 1,
    generatedAt: NOW,
    journalSequence: 1,
    executions: [
      {
        type: "skillet.skill-script-execution",
        outputId: "42:1",
        runId: "42",
        skillName: "pdf",
        path: "scripts/fill.py",
        status: "executed",
        executedAt: NOW,
        executionTarget: "sandbox",
        runtime: "python",
        argv: ["python3", "-"],
        args: ["tax.pdf"],
        cwd: "/project",
        resourcePath: "/skills/pdf/scripts/fill.py",
        sandboxResourcePath: "/sandbox/skills/pdf/scripts/fill.py",
        registryDigest: digestOf("5"),
        observedDigest: digestOf("5"),
        digestMatchesRegistry: true,
        registrySizeBytes: 20,
        observedSizeBytes: 20,
        treeDigest: digestOf("2"),
        outcome: "executed",
        exitCode: 3,
        timedOut: false,
        cancelled: false,
        truncated: { stdout: false, stderr: true },
        sandbox: { backend: "bubblewrap", strength: "reduced", weaknesses: ["W."], memoryLimit: "process" },
        grants: { network: ["example.org"], writable: [] },
        durationMs: 12,
        diagnostics: [],
      },
    ],
    ...SEALED,
  });
});

test("the policy is the last frame in full, with every change of it, refusals, forks and repairs of the journal", async () => {
  const diagnostic = { code: "untrusted", severity: "warning", message: "No.", file: "/p" } as const;
  const locked = { ...POLICY, mode: "locked", interactive: false, diagnostics: [diagnostic] };
  const runFolder = await record([POLICY, REFUSAL, FORK]);
  writeFileSync(join(runFolder, "journal.jsonl"), "torn", { flag: "a" });
  await record([{ ...locked, parentRunId: "41" }], runFolder);
  const moment = (sequence: number) => ({ sequence, runId: "42", recordedAt: NOW });
  const { kind: _policy, ...frame } = locked;
  const { kind: _refusal, ...refusal } = REFUSAL;
  const { kind: _fork, ...fork } = FORK;
  const torn = digestBytes(Buffer.from("torn"));
  expect(read(runFolder, "skill-policy.json")).toEqual({
    type: "skillet.skill-policy",
    version: 1,
    generatedAt: NOW,
    journalSequence: 5,
    ...frame,
    parentRunId: "41",
    changes: [
      { ...moment(1), mode: "default", interactive: true, snapshotVersion: digestOf("0") },
      { ...moment(5), mode: "locked", interactive: false, snapshotVersion: digestOf("0") },
    ],
    refusals: [{ ...moment(2), ...refusal }],
    forks: [{ ...moment(3), ...fork }],
    recoveries: [
      { ...moment(4), file: `journal.jsonl.torn-${torn.slice(7, 23)}`, digest: torn, bytes: "torn".length },
    ],
    journalDiagnostics: [],
    ...SEALED,
  });
});

test("the registry lists every skill, and the files of those that were frozen", async () => {
  const root = writeTree(join(temporaryDirectory(), "skills"), {
    "a/SKILL.md": skillText("a"),
    "a/scripts/run.sh": { text: "#!/bin/bash\necho\n", mode: 0o755 },
    "b/SKILL.md": skillText("b"),
    "b/notes.md": "Notes.",
  });
  const present = await presentSkills([{ path: root }]);
  const { snapshot } = present;
  const [a, b] = snapshot.skills;
  const index = await present.reader.indexResources(a!);
  const runFolder = await record([POLICY], undefined, { snapshot, resources: new Map([["a", index]]) });
  const script = Buffer.from("#!/bin/bash\necho\n");
  const common = {
    scope: "user",
    origin: "local",
    kind: "skill",
    state: "enabled",
    sourceId: `file:${root}`,
    diagnostics: [],
  };
  expect(read(runFolder, "skill-registry.json")).toEqual({
    type: "skillet.skill-registry",
    version: 1,
    generatedAt: NOW,
    journalSequence: 1,
    snapshotVersion: snapshot.version,
    skillsRoot: root,
    sandboxSkillsRoot: root,
    roots: [
      {
        scope: "user",
        sourceId: `file:${root}`,
        state: "scanned",
        trusted: true,
        skillsRoot: root,
        sandboxSkillsRoot: root,
      },
    ],
    skills: [
      {
        ...common,
        name: "a",
        qualifiedName: "a",
        description: "Does a.",
        digest: a!.digest,
        treeDigest: index.treeDigest,
        ...pathsOf(join(root, "a")),
        indexed: true,
        resources: [
          {
            path: "scripts/run.sh",
            kind: "script",
            resourcePath: join(root, "a/scripts/run.sh"),
            sandboxResourcePath: join(root, "a/scripts/run.sh"),
            sizeBytes: script.length,
            digest: digestBytes(script),
            contentKind: "text",
            script: { executable: true, shebang: "#!/bin/bash", runtime: "bash" },
            diagnostics: [],
          },
        ],
        frontmatter: JSON.parse(JSON.stringify(a!.manifest)),
      },
      {
        ...common,
        name: "b",
        qualifiedName: "b",
        description: "Does b.",
        digest: b!.digest,
        ...pathsOf(join(root, "b")),
        indexed: false,
        resources: [],
        frontmatter: JSON.parse(JSON.stringify(b!.manifest)),
      },
    ],
    diagnostics: [],
    ...SEALED,
  });
});

test("a source that the tools see elsewhere is named by its own id", async () => {
  class Sandbox extends MemorySource {
    override toolPath(path: string): string {
      return path === "" ? "/workspace/skills" : `/workspace/skills/${path}`;
    }
  }
  const source = new Sandbox({ "a/SKILL.md": skillText("a"), "a/x.md": "x" }, { id: "box:7" });
  const root = { scope: "explicit", origin: "local", source, path: source.toolPath("") } as const;
  const snapshot = await discoverSkills({ roots: [{ ...root, trust: { kind: "trusted" } }] });
  const [a] = snapshot.skills;
  const index = await indexResources(source, a!.source, { isSkill: () => true });
  const runFolder = await record([POLICY], undefined, { snapshot, resources: new Map([["a", index]]) });
  expect(read(runFolder, "skill-registry.json")).toMatchObject({
    skillsRoot: "box:7",
    sandboxSkillsRoot: "/workspace/skills",
    skills: [
      {
        skillPath: "box:7/a/SKILL.md",
        skillDir: "box:7/a",
        sandboxSkillPath: "/workspace/skills/a/SKILL.md",
        sandboxSkillDir: "/workspace/skills/a",
        resources: [{ resourcePath: "box:7/a/x.md", sandboxResourcePath: "/workspace/skills/a/x.md" }],
      },
    ],
  });
});

test("the same journal gives the same bytes, for the owner alone", async () => {
  const runFolder = await record([POLICY, ACTIVATION, READ, EXECUTION, REFUSAL, FORK]);
  const bytes = () => artefacts(runFolder).map((file) => readFileSync(join(runFolder, file), "utf8"));
  const before = bytes();
  await writeArtefacts(runFolder, NOTHING);
  expect(bytes()).toEqual(before);
  expect(artefacts(runFolder).map((file) => statSync(join(runFolder, file)).mode & 0o777)).toEqual(
    Array(5).fill(0o600),
  );
  expect(readdirSync(runFolder)).toHaveLength(6);
});

test("a run without records has artefacts that say so", async () => {
  const runFolder = await record([]);
  expect(read(runFolder, "skill-activations.json")).toEqual({
    type: "skillet.skill-activations",
    version: 1,
    generatedAt: "1970-01-01T00:00:00.000Z",
    journalSequence: 0,
    activations: [],
    ...SEALED,
  });
});

test("fields that a line of the journal adds do not reach an artefact", async () => {
  const runFolder = await record([]);
  const foreign = { ...REFUSED_READ, outputId: "forged", type: "forged", extra: { a: 1 } };
  const line = { sequence: 1, runId: "42", time: NOW, record: foreign };
  writeFileSync(join(runFolder, "journal.jsonl"), `${JSON.stringify(line)}\n`);
  await writeArtefacts(runFolder, NOTHING);
  const [only] = read(runFolder, "skill-resource-reads.json").reads as Record<string, unknown>[];
  expect(Object.keys(only!).toSorted()).toEqual(
    [
      ...["cfcPromptRole", "diagnostics", "error", "outputId", "path"],
      ...["readAt", "runId", "skillName", "status", "type"],
    ].toSorted(),
  );
  expect([only!.outputId, only!.type]).toEqual(["42:1", "skillet.skill-resource-read"]);
});

test("lines that cannot be read are told in the policy, and the rest is written", async () => {
  const runFolder = await record([POLICY]);
  writeFileSync(join(runFolder, "journal.jsonl"), "what?\n", { flag: "a" });
  await writeArtefacts(runFolder, NOTHING);
  expect(read(runFolder, "skill-policy.json")).toMatchObject({
    mode: "default",
    journalDiagnostics: [{ code: "journal-line-damaged", file: "journal.jsonl", range: { line: 2 } }],
  });
});

test("a link in an artefact's place is refused, and what it leads to stays", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "outside"), "mine");
  const runFolder = join(directory, "run");
  await openRecorder({ runFolder, runId: "42", clock });
  symlinkSync("../outside", join(runFolder, "skill-activations.json"));
  await expect(writeArtefacts(runFolder, NOTHING)).rejects.toMatchObject({ code: "link-refused" });
  expect(readFileSync(join(directory, "outside"), "utf8")).toBe("mine");
  expect(existsSync(join(runFolder, "artefacts.lock"))).toBe(false);
});

async function record(
  records: readonly SessionRecord[],
  runFolder = join(temporaryDirectory(), "run"),
  options: Parameters<typeof writeArtefacts>[1] = NOTHING,
): Promise<string> {
  const recorder = await openRecorder({ runFolder, runId: "42", clock });
  for (const one of records) await recorder.append(one);
  await writeArtefacts(runFolder, options);
  return runFolder;
}

function read(runFolder: string, file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(runFolder, file), "utf8"));
}

function artefacts(runFolder: string): string[] {
  return readdirSync(runFolder).filter((file) => file.endsWith(".json"));
}

function pathsOf(folder: string) {
  const skillPath = join(folder, "SKILL.md");
  return { skillPath, skillDir: folder, sandboxSkillPath: skillPath, sandboxSkillDir: folder };
}
