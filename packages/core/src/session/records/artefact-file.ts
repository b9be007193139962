import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";
import { text as anyText, object, oneOf, readDocument, wholeNumber } from "@skillet/kit/schema";
import type { JournalEntry } from "./journal.ts";

const MAX_ARTEFACT_BYTES: number = 256 * 1024 * 1024;

/** Raise it whenever derived content changes: artefacts are verified by deriving them again. */
const ARTEFACT_VERSION = 1;

export interface Artefact {
  readonly type: string;
  readonly version: typeof ARTEFACT_VERSION;
  /** The time of the last record used, so that the same journal gives the same bytes. */
  readonly generatedAt: string;
  readonly journalSequence: number;
}

export function createArtefact(type: string, entries: readonly JournalEntry[], content: object): Artefact {
  const last = entries.at(-1);
  return {
    type,
    version: ARTEFACT_VERSION,
    generatedAt: last?.time ?? "1970-01-01T00:00:00.000Z",
    journalSequence: last?.sequence ?? 0,
    ...content,
  };
}

/** Writes an artefact as JSON, one line per list item, sealed with the digest of everything before. */
export function serialiseArtefact(artefact: Artefact): string {
  const fields = Object.entries(artefact)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${JSON.stringify(key)}: ${serialiseField(value)},\n`);
  const head = `{\n${fields.join("")}`;
  return head + sealOf(head);
}

function serialiseField(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value);
  return `[\n${value.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`;
}

function sealOf(head: string): string {
  return `  "contentDigest": "${digestBytes(Buffer.from(head))}"\n}\n`;
}

const SEAL_LENGTH = sealOf("").length;

function isSealed(text: string): boolean {
  const head = text.slice(0, -SEAL_LENGTH);
  return text === head + sealOf(head);
}

export type ArtefactReading =
  | { readonly state: "missing" }
  | { readonly state: "damaged"; readonly why: string }
  | { readonly state: "whole"; readonly text: string; readonly artefact: Artefact };

/** Reads an artefact back without following links, and checks that it is intact and of its type. */
export function readArtefact(path: string, type: string): ArtefactReading {
  const bytes = readBytes(path);
  if (bytes === undefined) return { state: "missing" };
  if (typeof bytes === "string") return { state: "damaged", why: bytes };
  const value = parseJson(bytes);
  if (value === undefined) return { state: "damaged", why: "it is not JSON" };
  const text = Buffer.from(bytes).toString();
  const { value: artefact, faults } = readDocument(frame, value);
  if (artefact === undefined) return { state: "damaged", why: faults[0]?.message ?? "it is not an artefact" };
  if (artefact.type !== type) return { state: "damaged", why: `it is not a ${type}` };
  if (!isSealed(text))
    return { state: "damaged", why: "its digest does not match, so it was changed or cut" };
  return { state: "whole", text, artefact };
}

const frame = object<Artefact>({
  type: anyText,
  version: oneOf([ARTEFACT_VERSION]),
  generatedAt: anyText,
  journalSequence: wholeNumber(0),
});

function readBytes(path: string): Uint8Array | string | undefined {
  try {
    return readBoundedFile(path, { maxBytes: MAX_ARTEFACT_BYTES, links: "refuse" });
  } catch (error) {
    if (SkilletError.isInstance(error)) return error.message;
    throw error;
  }
}
