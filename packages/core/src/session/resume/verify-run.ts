import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { KnownRegistry } from "../records/artefacts/registry-artefact.ts";
import { JOURNAL_FILE, type JournalEntry, readJournal, runNotFound } from "../records/journal.ts";
import type { ActivationRecord } from "../records/session-record.ts";
import { checkArtefacts, readArtefacts } from "./check-artefacts.ts";
import {
  compareSkill,
  DRIFT_CODES,
  type DriftCode,
  type PresentSkills,
  type RunCode,
  type SkillVerdict,
  type VerifiedSkill,
} from "./compare-skill.ts";

export interface RunVerification {
  readonly runFolder: string;
  /** `run-unchanged`, or the cause that weighs most. */
  readonly code: RunCode;
  readonly causes: readonly DriftCode[];
  readonly skills: readonly VerifiedSkill[];
  /** Everything that was noticed, worth a stop or not. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a run back, checks that journal and artefacts are whole and agree, and compares every skill that it activated
 * with what is there now.
 *
 * @example
 * const { code, diagnostics } = await verifyRun(".skillet/runs/42", skills);
 */
export async function verifyRun(
  runFolder: string,
  present: PresentSkills & { readonly signal?: AbortSignal },
): Promise<RunVerification> {
  const { signal } = present;
  const artefacts = readArtefacts(runFolder);
  const journal = await readJournal(runFolder, { ...(signal && { signal }) });
  if (!journal.exists) throw runNotFound(runFolder);
  const { diagnostics: artefactFaults, registry } = checkArtefacts(artefacts, journal);
  const skills: VerifiedSkill[] = [];
  for (const group of groupActivations(journal.entries)) {
    signal?.throwIfAborted();
    skills.push(await verifySkill(group, present, registry));
  }
  const damage = journal.diagnostics.filter(({ severity }) => severity === "error");
  const diagnostics = [
    ...(damage.length === 0 ? [] : [journalDamaged(join(runFolder, JOURNAL_FILE), damage.length)]),
    ...journal.diagnostics,
    ...artefactFaults,
    ...skills.flatMap(describeDrift),
  ];
  const found = new Set(diagnostics.map(({ code }) => code));
  const causes = DRIFT_CODES.filter((code) => found.has(code));
  return { runFolder, code: causes[0] ?? "run-unchanged", causes, skills, diagnostics };
}

interface Group {
  readonly latest: ActivationRecord;
  readonly byArguments: Map<string, ActivationRecord>;
}

// One group a skill, by its place: names can change hands in mid-run.
function groupActivations(entries: readonly JournalEntry[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { record } of entries) {
    if (record.kind !== "activation") continue;
    const key = JSON.stringify([record.sourceId, record.folder, record.skillPath]);
    const byArguments = groups.get(key)?.byArguments ?? new Map<string, ActivationRecord>();
    // Deleted first, so that the newest stands last.
    const given = record.arguments ?? "";
    byArguments.delete(given);
    byArguments.set(given, record);
    groups.set(key, { latest: record, byArguments });
  }
  return [...groups.values()];
}

async function verifySkill(
  { latest, byArguments }: Group,
  present: PresentSkills,
  registry: KnownRegistry | undefined,
): Promise<VerifiedSkill> {
  const { index, ...comparison } = await compareSkill(latest, present);
  const files = index && changedFiles(latest, registry, index);
  const reason = files === undefined ? comparison.reason : `${comparison.reason} (${files})`;
  return { name: latest.name, activations: [...byArguments.values()], ...comparison, reason };
}

function journalDamaged(file: string, faults: number): Diagnostic {
  return {
    code: "run-journal-damaged",
    severity: "error",
    message: `The journal has ${faults} ${faults === 1 ? "fault" : "faults"}, so it is not known what the run did.`,
    file,
    hint: "Keep the run as evidence and start a new one.",
  };
}

const HINTS: Readonly<Record<Exclude<SkillVerdict, "run-unchanged">, string>> = {
  "run-root-moved": "Resume with reload to activate it from there, or move it back.",
  "run-resource-changed": "Read the change, then resume with reload, or put the files back.",
  "run-body-changed": "Read the change, then resume with reload, or put the file back.",
  "run-skill-unverified": "Make every file of the skill readable, then try again.",
  "run-skill-withheld": "See why: skillet explain, or start a new run without it.",
  "run-skill-gone": "Put the skill back, or start a new run without it.",
};

/** A skill's drift as a diagnostic; nothing for a skill that is what it was. */
export function describeDrift({ name, code, reason, activations }: VerifiedSkill): Diagnostic[] {
  if (code === "run-unchanged") return [];
  return [
    {
      code,
      severity: "warning",
      message: `Since it was activated, ${name} ${reason}.`,
      file: activations.at(-1)?.skillPath ?? name,
      hint: HINTS[code],
    },
  ];
}

const MAX_NAMED_FILES = 5;

/** Which files differ from those of the recorded tree, for people; nothing when that was not kept. */
function changedFiles(
  recorded: ActivationRecord,
  registry: KnownRegistry | undefined,
  index: ResourceIndex,
): string | undefined {
  const before = registry?.skills.find(
    ({ sourceId, treeDigest, qualifiedName }) =>
      sourceId === recorded.sourceId && treeDigest === recorded.treeDigest && qualifiedName === recorded.name,
  );
  if (before === undefined) return undefined;
  const digests = new Map(before.resources.map(({ path, digest }) => [path, digest]));
  const changes = index.resources.flatMap(({ path, digest }) => {
    const was = digests.get(path);
    digests.delete(path);
    if (was === digest) return [];
    return [was === undefined ? `${path} was added` : `${path} was changed`];
  });
  changes.push(...Array.from(digests.keys(), (path) => `${path} was removed`));
  // Only a mode changed: no file's digest tells that.
  if (changes.length === 0) return "the right to execute a file was changed";
  const rest = changes.length - MAX_NAMED_FILES;
  return `${changes.slice(0, MAX_NAMED_FILES).join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`;
}
