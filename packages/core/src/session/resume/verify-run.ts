import { join } from "node:path";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { onRefusal } from "@skillet/kit/errors";
import { listFirst } from "@skillet/kit/text";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { findObstacle } from "../../use/may-use.ts";
import {
  type Artefact,
  type ArtefactReading,
  createArtefact,
  readArtefact,
  serialiseArtefact,
} from "../records/artefact-file.ts";
import {
  checkRegistryArtefact,
  DERIVED_ARTEFACTS,
  fileNameOf,
  type KnownRegistry,
  REGISTRY_FILE,
  REGISTRY_TYPE,
} from "../records/artefacts.ts";
import {
  JOURNAL_FILE,
  type Journal,
  type JournalEntry,
  type JournalPlace,
  readJournal,
  runNotFound,
  showPlace,
} from "../records/journal.ts";
import type { ActivationRecord } from "../records/session-record.ts";
import type { SourceReader } from "../skill-reader.ts";
import type { SessionParts } from "../state.ts";

/** What keeps a run from being resumed as it was, most serious first. */
export const DRIFT_CODES = [
  "run-journal-damaged",
  "run-artefact-damaged",
  "run-skill-gone",
  "run-skill-withheld",
  "run-skill-unverified",
  "run-body-changed",
  "run-resource-changed",
  "run-root-moved",
] as const;

export type DriftCode = (typeof DRIFT_CODES)[number];

export type SkillVerdict =
  | "run-unchanged"
  | Exclude<DriftCode, "run-journal-damaged" | "run-artefact-damaged">;

export type PresentSkills = Pick<SessionParts, "snapshot"> & {
  readonly reader: Pick<SourceReader, "readSkillFile" | "indexResources">;
};

export interface RunVerification {
  /** As shown in messages. */
  readonly runFolder: string;
  /** Entries of the run that was recorded first; those of others are ignored. */
  readonly entries: readonly JournalEntry[];
  readonly lastSequence: number;
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
  /** Follows the skill's name: `was removed, or no longer loads`. */
  readonly reason: string;
  /** The present skill: in its place, or the same skill elsewhere. */
  readonly skill?: Skill;
}

/**
 * Reads a run back, checks that journal and artefacts are intact and agree, and compares every skill that it
 * activated with the present one.
 */
export async function verifyRun(
  place: JournalPlace,
  present: PresentSkills & { readonly signal?: AbortSignal | undefined },
): Promise<RunVerification> {
  const { signal } = present;
  const runFolder = showPlace(place);
  // A store has no artefacts: they are derived from the journal.
  const artefacts = typeof place === "string" ? readArtefacts(place) : new Map();
  const journal = await readJournal(place, { ...(signal && { signal }) });
  if (!journal.exists) throw runNotFound(place);
  const { diagnostics: artefactFaults, registry } = checkArtefacts(runFolder, artefacts, journal);
  const entries = journal.entries.filter(({ runId }) => runId === journal.entries[0]?.runId);
  const skills: VerifiedSkill[] = [];
  const lost = lostSkills(entries);
  for (const activations of groupActivations(entries)) {
    signal?.throwIfAborted();
    const skill = await verifySkill(activations, present, registry);
    const isUsable = skill.code !== "run-skill-gone" && skill.code !== "run-skill-withheld";
    if (isUsable || !activations.some(({ skillPath }) => lost.has(skillPath))) skills.push(skill);
  }
  const damage = journal.diagnostics.filter(({ severity }) => severity === "error");
  const diagnostics = [
    ...(damage.length === 0 ? [] : [journalDamaged(join(runFolder, JOURNAL_FILE), damage.length)]),
    ...journal.diagnostics,
    ...(entries.length === journal.entries.length ? [] : [recordsMixed(join(runFolder, JOURNAL_FILE))]),
    ...artefactFaults,
    ...skills.flatMap(describeDrift),
  ];
  const found = new Set(diagnostics.map(({ code }) => code));
  const causes = DRIFT_CODES.filter((code) => found.has(code));
  const code = causes[0] ?? "run-unchanged";
  const { lastSequence } = journal;
  return { runFolder, entries, lastSequence, code, causes, skills, diagnostics };
}

// One group per skill, by its place: names can change hands during a run. The newest activation comes last.
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

/** Skills that a refresh took from the run, by the path of SKILL.md; not those of an unfinished turn. */
function lostSkills(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const lost = new Set<string>();
  const ofLastTurn = new Set<string>();
  for (const { record } of entries) {
    if (record.kind === "turn-ended") ofLastTurn.clear();
    if (record.kind === "policy") for (const path of record.lost ?? []) lost.add(path);
    if (record.kind !== "activation") continue;
    ofLastTurn.add(record.skillPath);
    lost.delete(record.skillPath);
  }
  return new Set([...lost].filter((path) => !ofLastTurn.has(path)));
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
  const message = `The journal has ${faults} ${faults === 1 ? "fault" : "faults"}, so it is not known what the run did.`;
  const hint = "Keep the run as evidence and start a new one.";
  return diagnostic("error", "run-journal-damaged", file, message, hint);
}

function recordsMixed(file: string): Diagnostic {
  const message = "The journal holds records of other runs too, and only those of the first run count.";
  const hint = "Give every conversation a folder of its own.";
  return diagnostic("warning", "run-records-mixed", file, message, hint);
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

/** Which files differ from the recorded tree, for display; undefined if that tree was not stored. */
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
  // Only a mode changed, which no file's digest shows.
  if (changes.length === 0) return "the right to execute a file was changed";
  return listFirst(changes, MAX_NAMED_FILES);
}

/** `index` is set if only files other than SKILL.md differ. */
type Comparison = Pick<VerifiedSkill, "code" | "reason" | "skill"> & { readonly index?: ResourceIndex };

async function compareSkill(recorded: ActivationRecord, present: PresentSkills): Promise<Comparison> {
  const { sourceId, folder } = recorded;
  // Commands share a folder, so the file's name counts too.
  const file = fileNameOf(recorded.skillPath);
  const skill = present.snapshot.skills.find(
    ({ source }) => source.id === sourceId && source.folder === folder && source.file === file,
  );
  if (skill === undefined) return findElsewhere(recorded, present);
  const obstacle = whyUnusable(skill, recorded);
  if (obstacle !== undefined) return { code: "run-skill-withheld", reason: obstacle, skill };
  return onRefusal(
    compareDigests(recorded, skill, present).then((compared): Comparison => ({ ...compared, skill })),
    ({ code, message }): Comparison =>
      code === "file-not-found"
        ? { code: "run-skill-gone", reason: "was removed after the skills were found" }
        : { code: "run-skill-unverified", reason: `cannot be read now: ${message}`, skill },
  );
}

function whyUnusable(skill: Skill, { name }: ActivationRecord): string | undefined {
  const obstacle = findObstacle(skill, {
    source: "preload",
    // A shadowed skill can be named in full, but no longer by its bare name.
    byFullName: skill.qualifiedName === name,
    // Values from the user are in no record; the text loaded with them stands, and they are asked for again.
    isSatisfied: skill.missing.every(({ kind }) => kind === "environment"),
  });
  return obstacle && `is ${skill.state} now: ${obstacle.reason}`;
}

async function compareDigests(
  recorded: ActivationRecord,
  skill: Skill,
  present: PresentSkills,
): Promise<Comparison> {
  const digest = digestBytes(await present.reader.readSkillFile(skill));
  if (digest !== recorded.digest)
    return { code: "run-body-changed", reason: `has another SKILL.md: ${change(recorded.digest, digest)}` };
  const index = await present.reader.indexResources(skill);
  const { treeDigest } = index;
  if (recorded.treeDigest === undefined)
    return { code: "run-skill-unverified", reason: "was recorded without a digest of its files" };
  if (treeDigest === undefined)
    return { code: "run-skill-unverified", reason: "has files that cannot be read whole now" };
  if (treeDigest === recorded.treeDigest)
    return { code: "run-unchanged", reason: "is what it was, file for file" };
  const reason = `has other files beside SKILL.md: ${change(recorded.treeDigest, treeDigest)}`;
  return { code: "run-resource-changed", reason, index };
}

// The most copies of one SKILL.md whose whole trees are digested to find a skill that was moved.
const MAX_CANDIDATES = 20;

async function findElsewhere(recorded: ActivationRecord, present: PresentSkills): Promise<Comparison> {
  const { name } = recorded;
  const rank = (skill: Skill): number =>
    skill.state === "enabled" ? (skill.qualifiedName === name ? 0 : 1) : 2;
  const candidates = present.snapshot.skills
    .filter(({ digest }) => digest === recorded.digest)
    .sort((left, right) => rank(left) - rank(right))
    .slice(0, MAX_CANDIDATES);
  for (const skill of candidates) {
    if (!(await isSame(recorded, skill, present))) continue;
    const obstacle = whyUnusable(skill, recorded);
    if (obstacle !== undefined) return { code: "run-skill-withheld", reason: obstacle, skill };
    return { code: "run-root-moved", reason: `lies in ${skill.path} now, the same file for file`, skill };
  }
  const namesake = present.snapshot.skills.find(({ qualifiedName }) => qualifiedName === name);
  const reason =
    namesake === undefined
      ? "was removed, or no longer loads"
      : `was removed, or no longer loads; the name now belongs to ${namesake.path}, which differs`;
  return { code: "run-skill-gone", reason };
}

function isSame(recorded: ActivationRecord, skill: Skill, present: PresentSkills): Promise<boolean> {
  return onRefusal(
    compareDigests(recorded, skill, present).then(({ code }) => code === "run-unchanged"),
    () => false,
  );
}

function change(before: Digest, after: Digest): string {
  const show = (digest: Digest): string => digest.slice(0, "sha256:".length + 12);
  return `${show(before)} is now ${show(after)}`;
}

type ArtefactReadings = ReadonlyMap<string, ArtefactReading>;

/** Reads every artefact, and does so before the journal, which an active run only makes longer. */
function readArtefacts(runFolder: string): ArtefactReadings {
  const artefacts = [{ file: REGISTRY_FILE, type: REGISTRY_TYPE }, ...DERIVED_ARTEFACTS];
  return new Map(artefacts.map(({ file, type }) => [file, readArtefact(join(runFolder, file), type)]));
}

/**
 * A killed run may have artefacts from fewer records than its journal contains, or none. So each is compared,
 * byte for byte, with what the same number of records gives.
 */
function checkArtefacts(
  runFolder: string,
  readings: ArtefactReadings,
  { entries, diagnostics: journalFaults }: Journal,
): { readonly diagnostics: readonly Diagnostic[]; readonly registry: KnownRegistry | undefined } {
  const isComparable = journalFaults.every(({ code }) => code === "journal-line-torn");
  const diagnostics: Diagnostic[] = [];
  let registry: KnownRegistry | undefined;
  for (const [file, reading] of readings) {
    const place = join(runFolder, file);
    if (reading.state === "missing") diagnostics.push(missing(place));
    if (reading.state === "damaged") diagnostics.push(damaged(place, reading.why));
    // A journal that is damaged, or has records of a later version, cannot disprove an artefact.
    if (reading.state !== "whole" || !isComparable) continue;
    const { artefact, text } = reading;
    const lost = artefact.journalSequence - (entries.at(-1)?.sequence ?? 0);
    if (lost > 0) diagnostics.push(journalCut(place, lost));
    else if (file === REGISTRY_FILE) {
      const checked = checkRegistry(artefact, entries);
      if (typeof checked === "string") diagnostics.push(damaged(place, checked));
      else registry = checked;
    } else if (text !== deriveAgain(file, artefact, entries))
      diagnostics.push(damaged(place, "it does not say what the journal says"));
  }
  return { diagnostics, registry };
}

function deriveAgain(
  file: string,
  { type, journalSequence }: Artefact,
  entries: readonly JournalEntry[],
): string | undefined {
  const used = entries.filter(({ sequence }) => sequence <= journalSequence);
  const content = DERIVED_ARTEFACTS.find((derived) => derived.file === file)?.content(used, []);
  return content && serialiseArtefact(createArtefact(type, used, content));
}

function checkRegistry(artefact: Artefact, entries: readonly JournalEntry[]): KnownRegistry | string {
  const registry = checkRegistryArtefact(artefact);
  if (typeof registry === "string") return registry;
  const versions = entries.flatMap(({ record }) =>
    record.kind === "policy" ? [record.snapshotVersion] : [],
  );
  // A run without a policy record does not say which skills it had.
  if (versions.length === 0 || versions.includes(registry.snapshotVersion)) return registry;
  return "it belongs to another run";
}

function missing(file: string): Diagnostic {
  const message = "The artefact is not there: the run ended before it was written, or it was removed.";
  return diagnostic("info", "run-artefact-missing", file, message, "It is written again from the journal.");
}

function damaged(file: string, why: string): Diagnostic {
  const message = `The artefact is not as it was written: ${why}.`;
  const hint = "Keep a copy as evidence; it can be written again from the journal.";
  return diagnostic("error", "run-artefact-damaged", file, message, hint);
}

function journalCut(file: string, lost: number): Diagnostic {
  const message = `The artefact was made from ${lost} more records than the journal holds: its end was cut off.`;
  const hint = "Keep the run as evidence and start a new one.";
  return diagnostic("error", "run-journal-damaged", file, message, hint);
}
