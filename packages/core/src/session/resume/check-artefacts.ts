import { join } from "node:path";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
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
  type KnownRegistry,
  REGISTRY_FILE,
  REGISTRY_TYPE,
} from "../records/artefacts.ts";
import type { Journal, JournalEntry } from "../records/journal.ts";

type ArtefactReadings = ReadonlyMap<string, ArtefactReading>;

/** Reads every artefact; before the journal, which a run that goes on only makes longer. */
export function readArtefacts(runFolder: string): ArtefactReadings {
  const artefacts = [{ file: REGISTRY_FILE, type: REGISTRY_TYPE }, ...DERIVED_ARTEFACTS];
  return new Map(artefacts.map(({ file, type }) => [file, readArtefact(join(runFolder, file), type)]));
}

/**
 * A run that was killed may have artefacts made from fewer records than its journal holds, or none. So each
 * is compared with what the same number of records gives, byte for byte.
 */
export function checkArtefacts(
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
    // A journal that is damaged, or has records of a later version, proves nothing against an artefact.
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
  // A run without a policy record says nothing about the skills it had.
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
