import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { KnownRegistry } from "../records/artefacts.ts";
import { JOURNAL_FILE, type JournalEntry, readJournal, runNotFound } from "../records/journal.ts";
import type { ActivationRecord } from "../records/session-record.ts";
import { checkArtefacts, readArtefacts } from "./check-artefacts.ts";
import {
  compareSkill,
  DRIFT_CODES,
  type DriftCode,
  type PresentSkills,
  type SkillVerdict,
} from "./compare-skill.ts";

export interface RunVerification {
  readonly runFolder: string;
  readonly entries: readonly JournalEntry[];
  readonly code: "run-unchanged" | DriftCode;
  readonly causes: readonly DriftCode[];
  readonly skills: readonly VerifiedSkill[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface VerifiedSkill {
  readonly name: string;
  /** The last activation for each set of arguments, oldest first. */
  readonly activations: readonly ActivationRecord[];
  readonly code: SkillVerdict;
  readonly reason: string;
  readonly skill?: Skill;
}

/**
 * Reads a run back, checks that journal and artefacts are whole and agree, and compares every skill that it activated
 * with what is there now.
 */
export async function verifyRun(
  runFolder: string,
  present: PresentSkills & { readonly signal?: AbortSignal },
): Promise<RunVerification> {
  const { signal } = present;
  const artefacts = readArtefacts(runFolder);
  const journal = await readJournal(runFolder, { ...(signal && { signal }) });
  if (!journal.exists) throw runNotFound(runFolder);
  const { diagnostics: artefactFaults, registry } = checkArtefacts(runFolder, artefacts, journal);
  const skills: VerifiedSkill[] = [];
  for (const activations of groupActivations(journal.entries)) {
    signal?.throwIfAborted();
    skills.push(await verifySkill(activations, present, registry));
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
  const { entries } = journal;
  return { runFolder, entries, code: causes[0] ?? "run-unchanged", causes, skills, diagnostics };
}

// One group a skill, by its place: names can change hands in mid-run. The newest activation stands last.
function groupActivations(entries: readonly JournalEntry[]): readonly (readonly ActivationRecord[])[] {
  const groups = new Map<string, Map<string, ActivationRecord>>();
  for (const { record } of entries) {
    if (record.kind !== "activation") continue;
    const key = JSON.stringify([record.sourceId, record.folder, record.skillPath]);
    const byArguments = groups.get(key) ?? new Map<string, ActivationRecord>();
    const given = record.arguments ?? "";
    byArguments.delete(given);
    groups.set(key, byArguments.set(given, record));
  }
  return Array.from(groups.values(), (byArguments) => [...byArguments.values()]);
}

async function verifySkill(
  activations: readonly ActivationRecord[],
  present: PresentSkills,
  registry: KnownRegistry | undefined,
): Promise<VerifiedSkill> {
  const latest = activations.at(-1) as ActivationRecord;
  const { index, ...comparison } = await compareSkill(latest, present);
  const files = index && changedFiles(latest, registry, index);
  const reason = files === undefined ? comparison.reason : `${comparison.reason} (${files})`;
  return { name: latest.name, activations, ...comparison, reason };
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

export function describeDrift({ name, code, reason, activations }: VerifiedSkill): Diagnostic[] {
  if (code === "run-unchanged") return [];
  const message = `Since it was activated, ${name} ${reason}.`;
  const file = activations.at(-1)?.skillPath ?? name;
  return [{ code, severity: "warning", message, file, hint: HINTS[code] }];
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
