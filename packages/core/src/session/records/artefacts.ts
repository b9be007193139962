import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { withFileLock, writeAtomic } from "@skillet/kit/files";
import { array, digest, object, optional, readDocument, text } from "@skillet/kit/schema";
import type { Resource, ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { Snapshot } from "../../registry/snapshot.ts";
import type { Vetting } from "../../vetting/skill-vetter.ts";
import { type Artefact, createArtefact, serialiseArtefact } from "./artefact-file.ts";
import { JOURNAL_FILE, type JournalEntry, readSettledJournal } from "./journal.ts";
import {
  type JournalRecord,
  placeOf,
  type RecordedPlace,
  type ResourceReadRecord,
  type ScriptExecutionRecord,
} from "./session-record.ts";

type Entries = readonly JournalEntry[];
type RecordOf<Kind extends JournalRecord["kind"]> = Extract<JournalRecord, { readonly kind: Kind }>;

export const REGISTRY_FILE = "skill-registry.json";
export const REGISTRY_TYPE = "skillet.skill-registry";

/** The artefacts derived from a journal alone; `faults` are the errors found when reading it. */
export const DERIVED_ARTEFACTS: readonly {
  readonly file: string;
  readonly type: string;
  content(entries: Entries, faults: readonly Diagnostic[]): object;
}[] = [
  {
    file: "skill-activations.json",
    type: "skillet.skill-activations",
    content: (entries) => ({ activations: describeAll(entries, "activation", describeActivation) }),
  },
  {
    file: "skill-resource-reads.json",
    type: "skillet.skill-resource-reads",
    content: (entries) => ({ reads: describeAll(entries, "resource-read", describeRead) }),
  },
  {
    file: "skill-script-executions.json",
    type: "skillet.skill-script-executions",
    content: (entries) => ({ executions: describeAll(entries, "script-execution", describeExecution) }),
  },
  {
    file: "skill-policy.json",
    type: "skillet.skill-policy",
    content: describePolicy,
  },
];

/** A larger library is not listed in full in every run, only its version and what the run loaded. */
export const MAX_LISTED_SKILLS = 200;

/** The skills of a session, with their files and verdicts. */
export interface RegistryFacts {
  readonly snapshot: Snapshot;
  /** The files of frozen skills, by qualified name. */
  readonly resources: ReadonlyMap<string, ResourceIndex>;
  readonly vetted?: { get(skill: Skill): Vetting | undefined };
}

/** The same journal gives the same bytes. Callers omit facts that did not change: they can be megabytes. */
export async function writeArtefacts(runFolder: string, facts: RegistryFacts | undefined): Promise<void> {
  // One writer at a time, so that none replaces artefacts that another made from more records.
  await withFileLock(join(runFolder, "artefacts.lock"), async () => {
    const { entries, diagnostics } = await readSettledJournal(runFolder);
    const faults = diagnostics
      .filter(({ severity }) => severity === "error")
      .map((fault) => ({ ...fault, file: JOURNAL_FILE }));
    const write = (file: string, artefact: Artefact): Promise<void> =>
      writeAtomic(join(runFolder, file), serialiseArtefact(artefact), { mode: 0o600, links: "refuse" });
    if (facts !== undefined)
      await write(REGISTRY_FILE, createArtefact(REGISTRY_TYPE, entries, describeRegistry(facts)));
    for (const { file, type, content } of DERIVED_ARTEFACTS)
      await write(file, createArtefact(type, entries, content(entries, faults)));
  });
}

function describeAll<Kind extends JournalRecord["kind"]>(
  entries: Entries,
  kind: Kind,
  describe: (record: RecordOf<Kind>, entry: JournalEntry) => object,
): readonly object[] {
  return entries.flatMap((entry) =>
    entry.record.kind === kind ? [describe(entry.record as RecordOf<Kind>, entry)] : [],
  );
}

function describeActivation(record: RecordOf<"activation">, { sequence, runId, time }: JournalEntry): object {
  return {
    ...pickFields(record, "name source"),
    sequence,
    runId,
    activatedAt: time,
    // A skill is context, never an instruction of the system or the user.
    cfcPromptRole: "context",
    ...skillPaths(record),
    ...pickFields(record, "digest treeDigest arguments duplicate drifted diagnostics"),
  };
}

function describeRead(record: ResourceReadRecord, { sequence, runId, time }: JournalEntry): object {
  return {
    type: "skillet.skill-resource-read",
    outputId: `${runId}:${sequence}`,
    runId,
    ...pickFields(record, "skillName path status"),
    readAt: time,
    cfcPromptRole: "context",
    kind: record.resourceKind,
    ...resourcePaths(record),
    ...pickFields(
      record,
      `registryDigest observedDigest digestMatchesRegistry registrySizeBytes observedSizeBytes contentKind
       maxBytes truncated diagnostics error`,
    ),
  };
}

function describeExecution(record: ScriptExecutionRecord, { sequence, runId, time }: JournalEntry): object {
  return {
    type: "skillet.skill-script-execution",
    outputId: `${runId}:${sequence}`,
    runId,
    ...pickFields(record, "skillName path status"),
    executedAt: time,
    ...resourcePaths(record),
    ...pickFields(
      record,
      `tool outcome executionTarget runtime argv args cwd registryDigest observedDigest digestMatchesRegistry
       registrySizeBytes observedSizeBytes treeDigest exitCode signal timedOut cancelled truncated limit sandbox
       grants durationMs diagnostics error`,
    ),
  };
}

function describePolicy(entries: Entries, journalDiagnostics: readonly Diagnostic[]): object {
  const list = (kind: JournalRecord["kind"], fields: string): readonly object[] =>
    describeAll(entries, kind, (record, { sequence, runId, time }) => ({
      sequence,
      runId,
      recordedAt: time,
      ...pickFields(record, fields),
    }));
  const latest = entries.findLast(({ record }) => record.kind === "policy")?.record ?? {};
  return {
    ...pickFields(
      latest,
      `mode interactive snapshotVersion vetting parentRunId roots skills offered withheld scripts hostScripts
       activationSources
       diagnostics`,
    ),
    changes: list("policy", "mode interactive snapshotVersion lost"),
    refusals: list("refusal", "what skillName subject error rule"),
    forks: list("fork", "event childRunId childFolder skills tools scripts context summaryCharacters"),
    recoveries: list("recovery", "file digest bytes"),
    journalDiagnostics,
  };
}

/** The existing fields with these names, in this order; a journal's line may have others. */
function pickFields(record: object, names: string): object {
  const fields = names.split(/\s+/).map((name) => [name, Reflect.get(record, name)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function describeRegistry({ snapshot, resources, vetted }: RegistryFacts): object {
  const roots = snapshot.roots.map(({ scope, sourceId, state, trusted, path }) => ({
    scope,
    sourceId,
    state,
    trusted,
    skillsRoot: rootOfSource(sourceId),
    sandboxSkillsRoot: path,
  }));
  const isFew = snapshot.skills.length <= MAX_LISTED_SKILLS;
  const listed = isFew
    ? snapshot.skills
    : snapshot.skills.filter(({ qualifiedName }) => resources.has(qualifiedName));
  const unlisted = snapshot.skills.length - listed.length;
  return {
    snapshotVersion: snapshot.version,
    // From the root with the highest precedence, for readers that know only one root.
    ...pickFields(roots[0] ?? {}, "skillsRoot sandboxSkillsRoot"),
    roots,
    skills: listed.map((skill) =>
      describeSkill(skill, resources.get(skill.qualifiedName), vetted?.get(skill)),
    ),
    ...(unlisted > 0 && { unlisted }),
    diagnostics: snapshot.diagnostics,
  };
}

// `indexed` tells an empty list of resources from an unknown one.
function describeSkill(skill: Skill, index: ResourceIndex | undefined, vetting: Vetting | undefined): object {
  const own = index?.diagnostics ?? [];
  return {
    ...pickFields(skill, "name qualifiedName scope origin kind state reason digest settingsDigest"),
    diagnostics: [...skill.diagnostics, ...own],
    description: skill.manifest.description,
    verdict: vetting?.verdict,
    withheld: vetting?.outcome === "withhold" ? vetting.reason : undefined,
    treeDigest: index?.treeDigest,
    ...skillPaths(placeOf(skill)),
    indexed: index !== undefined,
    resources: (index?.resources ?? []).map((resource) => describeResource(skill, resource, own)),
    frontmatter: skill.manifest,
  };
}

function describeResource(skill: Skill, resource: Resource, found: readonly Diagnostic[]): object {
  const sandboxResourcePath = `${skill.directory}/${resource.path}`;
  return {
    ...pickFields(resource, "path kind"),
    resourcePath: pathInSource(skill.source.id, skill.source.folder, resource.path),
    sandboxResourcePath,
    sizeBytes: resource.size,
    ...pickFields(resource, "digest contentKind script"),
    diagnostics: found.filter(({ file }) => file === sandboxResourcePath),
  };
}

/** A local folder's canonical path, otherwise the source's id. */
function rootOfSource(sourceId: string): string {
  return sourceId.replace(/^(?:file|commands):/, "");
}

function pathInSource(sourceId: string, ...parts: readonly string[]): string {
  const root = rootOfSource(sourceId);
  const path = parts.filter((part) => part !== "").join("/");
  return path === "" ? root : `${root.replace(/\/$/, "")}/${path}`;
}

/** The name of a skill's file: SKILL.md, except for commands and odd spellings. */
export function fileNameOf(skillPath: string): string {
  return skillPath.slice(Math.max(skillPath.lastIndexOf("/"), skillPath.lastIndexOf("\\")) + 1);
}

function skillPaths({ sourceId, folder, skillPath, skillDir }: RecordedPlace): object {
  return {
    sourceId,
    skillPath: pathInSource(sourceId, folder, fileNameOf(skillPath)),
    skillDir: pathInSource(sourceId, folder),
    sandboxSkillPath: skillPath,
    sandboxSkillDir: skillDir,
  };
}

/** The same for a requested file; a file that was not found has no path. */
function resourcePaths(record: ResourceReadRecord | ScriptExecutionRecord): object {
  const { sourceId, folder, path, resourcePath } = record;
  if (resourcePath === undefined) return {};
  if (sourceId === undefined || folder === undefined) return { sandboxResourcePath: resourcePath };
  return { resourcePath: pathInSource(sourceId, folder, path), sandboxResourcePath: resourcePath };
}

interface KnownSkill {
  readonly qualifiedName: string;
  readonly sourceId: string;
  readonly treeDigest?: Digest;
  readonly resources: readonly Pick<Resource, "path" | "digest">[];
}

export interface KnownRegistry {
  readonly snapshotVersion: Digest;
  readonly skills: readonly KnownSkill[];
}

const knownRegistry = object<KnownRegistry>({
  snapshotVersion: digest,
  skills: array(
    object<KnownSkill>({
      qualifiedName: text,
      sourceId: text,
      treeDigest: optional(digest),
      resources: array(object<Pick<Resource, "path" | "digest">>({ path: text, digest })),
    }),
  ),
});

/** Checks a registry artefact, since whoever can write the file can seal it; returns its faults as text. */
export function checkRegistryArtefact(value: unknown): KnownRegistry | string {
  const { value: registry, faults } = readDocument(knownRegistry, value);
  return registry ?? faults.map(({ message }) => message).join("; ");
}
