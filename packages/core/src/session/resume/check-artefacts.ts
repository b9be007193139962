import { basename, join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import {
  ARTEFACT_FILES,
  type ArtefactFrame,
  type ArtefactReading,
  readArtefact,
  serialiseArtefact,
} from "../records/artefacts/artefact.ts";
import { checkRegistryArtefact, type KnownRegistry } from "../records/artefacts/registry-artefact.ts";
import { deriveArtefacts } from "../records/artefacts/write-artefacts.ts";
import type { Journal, JournalEntry } from "../records/journal.ts";

interface ArtefactCheck {
  readonly diagnostics: readonly Diagnostic[];
  /** The registry of the run, when it can be relied on. */
  readonly registry?: KnownRegistry;
}

type ArtefactReadings = ReadonlyMap<string, ArtefactReading>;

/** Reads every artefact; before the journal, which a run that goes on only makes longer. */
export function readArtefacts(runFolder: string): ArtefactReadings {
  const types = [
    [ARTEFACT_FILES.registry, "skillet.skill-registry"] as const,
    ...deriveArtefacts([]).map(([file, { type }]) => [file, type] as const),
  ];
  return new Map(
    types.map(([file, type]) => {
      const path = join(runFolder, file);
      return [path, readArtefact(path, type)];
    }),
  );
}

/**
 * Holds the artefacts against the journal.
 *
 * A run that was killed may have artefacts made from fewer records than its journal holds, or none. So each is
 * compared with what the same number of records gives, byte for byte.
 */
export function checkArtefacts(readings: ArtefactReadings, journal: Journal): ArtefactCheck {
  const isComparable = journal.diagnostics.every(({ code }) => code === "journal-line-torn");
  const diagnostics: Diagnostic[] = [];
  let registry: KnownRegistry | undefined;
  for (const [path, reading] of readings) {
    if (reading.state === "missing") diagnostics.push(missing(path));
    if (reading.state === "damaged") diagnostics.push(damaged(path, reading.why));
    // A journal that is damaged, or has records of a later version, proves nothing against an artefact.
    if (reading.state !== "whole" || !isComparable) continue;
    const { artefact, text } = reading;
    const lost = recordsLost(artefact, journal.entries);
    if (lost !== undefined) {
      diagnostics.push(journalCut(path, lost));
      continue;
    }
    const isRegistry = basename(path) === ARTEFACT_FILES.registry;
    const checked = isRegistry ? checkRegistry(artefact, journal.entries) : undefined;
    if (typeof checked === "string") diagnostics.push(damaged(path, checked));
    else if (isRegistry) registry = checked;
    else if (text !== deriveAgain(basename(path), artefact, journal.entries))
      diagnostics.push(damaged(path, "it does not say what the journal says"));
  }
  return { diagnostics, ...(registry === undefined ? {} : { registry }) };
}

function recordsLost(
  { journalSequence }: ArtefactFrame<string>,
  entries: readonly JournalEntry[],
): number | undefined {
  const last = entries.at(-1)?.sequence ?? 0;
  return journalSequence > last ? journalSequence - last : undefined;
}

function deriveAgain(
  file: string,
  { journalSequence }: ArtefactFrame<string>,
  entries: readonly JournalEntry[],
): string | undefined {
  const prefix = entries.filter(({ sequence }) => sequence <= journalSequence);
  const derived = deriveArtefacts(prefix).find(([name]) => name === file);
  return derived && serialiseArtefact(derived[1]);
}

function checkRegistry(
  artefact: ArtefactFrame<string>,
  entries: readonly JournalEntry[],
): KnownRegistry | string {
  const registry = checkRegistryArtefact(artefact);
  if (typeof registry === "string") return registry;
  const versions = entries.flatMap(({ record }) =>
    record.kind === "policy" ? [record.snapshotVersion] : [],
  );
  // A run without a frame says nothing about the skills it had.
  if (versions.length === 0 || versions.includes(registry.snapshotVersion)) return registry;
  return "it belongs to another run";
}

function missing(file: string): Diagnostic {
  return {
    code: "run-artefact-missing",
    severity: "info",
    message: "The artefact is not there: the run ended before it was written, or it was removed.",
    file,
    hint: "It is written again from the journal.",
  };
}

function damaged(file: string, why: string): Diagnostic {
  return {
    code: "run-artefact-damaged",
    severity: "error",
    message: `The artefact is not as it was written: ${why}.`,
    file,
    hint: "Keep a copy as evidence; it can be written again from the journal.",
  };
}

function journalCut(file: string, lost: number): Diagnostic {
  return {
    code: "run-journal-damaged",
    severity: "error",
    message: `The artefact was made from ${lost} more records than the journal holds: its end was cut off.`,
    file,
    hint: "Keep the run as evidence and start a new one.",
  };
}
