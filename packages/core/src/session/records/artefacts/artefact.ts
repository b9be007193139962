import { digestBytes } from "@skillet/kit/digest";
import type { JournalEntry } from "../journal.ts";

/** The artefacts of a run, by name of their file. */
export const ARTEFACT_FILES = {
  registry: "skill-registry.json",
  activations: "skill-activations.json",
  resourceReads: "skill-resource-reads.json",
  scriptExecutions: "skill-script-executions.json",
  policy: "skill-policy.json",
} as const;

/** The largest artefact that is read back. */
export const MAX_ARTEFACT_BYTES: number = 256 * 1024 * 1024;

/** Raised with every change to what is derived from a journal: artefacts are verified by deriving them again. */
export const ARTEFACT_VERSION = 1;

/** What every artefact begins with. */
export interface ArtefactFrame<Type extends string> {
  readonly type: `skillet.${Type}`;
  readonly version: typeof ARTEFACT_VERSION;
  /** The time of the last record that it was made from, so that the same journal gives the same bytes. */
  readonly generatedAt: string;
  /** The number of that record; 0 for none. */
  readonly journalSequence: number;
}

/** The head of an artefact made from these records. */
export function frameOf<Type extends string>(
  type: Type,
  entries: readonly JournalEntry[],
): ArtefactFrame<Type> {
  const last = entries.at(-1);
  return {
    type: `skillet.${type}`,
    version: ARTEFACT_VERSION,
    generatedAt: last?.time ?? "1970-01-01T00:00:00.000Z",
    journalSequence: last?.sequence ?? 0,
  };
}

/** Writes an artefact as JSON, one line for each item of its lists, sealed with the digest of all that stands before it. */
export function serialiseArtefact(artefact: ArtefactFrame<string>): string {
  const fields = Object.entries(artefact)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${JSON.stringify(key)}: ${serialiseField(value)},\n`);
  const head = `{\n${fields.join("")}`;
  return `${head}  "contentDigest": "${digestBytes(Buffer.from(head))}"\n}\n`;
}

/** Whether a text ends in the digest of what stands before it, as `serialiseArtefact` writes it. */
export function isSealed(text: string): boolean {
  const start = text.length - SEAL_LENGTH;
  if (start < 0) return false;
  const head = text.slice(0, start);
  return text.slice(start) === `  "contentDigest": "${digestBytes(Buffer.from(head))}"\n}\n`;
}

const SEAL_LENGTH = `  "contentDigest": "sha256:${"0".repeat(64)}"\n}\n`.length;

function serialiseField(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value);
  return `[\n${value.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`;
}
