import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readInto, withRegularFile } from "@skillet/kit/files";
import { object, oneOf, readDocument, text, textAs, wholeNumber } from "@skillet/kit/schema";
import type { JournalEntry } from "../journal.ts";
import type { RecordedPlace, ResourceReadRecord, ScriptExecutionRecord } from "../session-record.ts";

export const ARTEFACT_FILES = {
  registry: "skill-registry.json",
  activations: "skill-activations.json",
  resourceReads: "skill-resource-reads.json",
  scriptExecutions: "skill-script-executions.json",
  policy: "skill-policy.json",
} as const;

const MAX_ARTEFACT_BYTES: number = 256 * 1024 * 1024;

/** Raised with every change to what is derived from a journal: artefacts are verified by deriving them again. */
const ARTEFACT_VERSION = 1;

export interface ArtefactFrame<Type extends string> {
  readonly type: `skillet.${Type}`;
  readonly version: typeof ARTEFACT_VERSION;
  /** The time of the last record that it was made from, so that the same journal gives the same bytes. */
  readonly generatedAt: string;
  /** The number of that record; 0 for none. */
  readonly journalSequence: number;
}

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
function isSealed(text: string): boolean {
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

export type ArtefactReading =
  | { readonly state: "missing" }
  | { readonly state: "damaged"; readonly why: string }
  | { readonly state: "whole"; readonly text: string; readonly artefact: ArtefactFrame<string> };

/** Reads an artefact back, following no link, and checks that it is whole and of its type. */
export function readArtefact(path: string, type: string): ArtefactReading {
  const bytes = readBytes(path);
  if (bytes === undefined) return { state: "missing" };
  if (typeof bytes === "string") return { state: "damaged", why: bytes };
  const parsed = parse(bytes);
  if (parsed === undefined) return { state: "damaged", why: "it is not JSON" };
  const { value: artefact, faults } = readDocument(frame, parsed.value);
  if (artefact === undefined) return { state: "damaged", why: faults[0]?.message ?? "it is not an artefact" };
  if (artefact.type !== type) return { state: "damaged", why: `it is not a ${type}` };
  if (!isSealed(parsed.text))
    return { state: "damaged", why: "its digest does not match, so it was changed or cut" };
  return { state: "whole", text: parsed.text, artefact };
}

const frame = object<ArtefactFrame<string>>({
  type: textAs(),
  version: oneOf([ARTEFACT_VERSION]),
  generatedAt: text,
  journalSequence: wholeNumber(0),
});

function readBytes(path: string): Uint8Array | string | undefined {
  try {
    return withRegularFile(path, ({ descriptor, stats }) => {
      if (stats.size > MAX_ARTEFACT_BYTES) return `it is larger than ${MAX_ARTEFACT_BYTES} bytes`;
      const buffer = new Uint8Array(stats.size);
      return buffer.subarray(0, readInto(descriptor, buffer));
    });
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return error.code === "file-not-found" ? undefined : error.message;
  }
}

function parse(bytes: Uint8Array): { readonly text: string; readonly value: unknown } | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The named fields of a record that it has, in the order of the names; a journal's line may hold others. */
export function pickPresent<Value extends object, Key extends keyof Value>(
  value: Value,
  keys: readonly Key[],
): Pick<Value, Key> {
  const present = keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]);
  return Object.fromEntries(present) as Pick<Value, Key>;
}

export interface SkillPaths {
  readonly sourceId: string;
  readonly skillPath: string;
  readonly skillDir: string;
  readonly sandboxSkillPath: string;
  readonly sandboxSkillDir: string;
}

/** The place of a skill's file in its source, where that is known, and as the agent's tools see it. */
export interface ResourcePaths {
  readonly resourcePath?: string;
  readonly sandboxResourcePath?: string;
}

/** Where a source begins: a local folder's canonical path, otherwise the source's id. */
export function rootOfSource(sourceId: string): string {
  return sourceId.replace(/^(?:file|commands):/, "");
}

/** A path of a source, from its root on; the empty path is the root itself. */
export function pathInSource(sourceId: string, ...parts: readonly string[]): string {
  const root = rootOfSource(sourceId);
  const path = parts.filter((part) => part !== "").join("/");
  return path === "" ? root : `${root.replace(/\/$/, "")}/${path}`;
}

/** The name of a skill's file, which is SKILL.md but for commands and odd spellings. */
export function fileNameOf(skillPath: string): string {
  return skillPath.slice(Math.max(skillPath.lastIndexOf("/"), skillPath.lastIndexOf("\\")) + 1);
}

export function skillPaths({ sourceId, folder, skillPath, skillDir }: RecordedPlace): SkillPaths {
  return {
    sourceId,
    skillPath: pathInSource(sourceId, folder, fileNameOf(skillPath)),
    skillDir: pathInSource(sourceId, folder),
    sandboxSkillPath: skillPath,
    sandboxSkillDir: skillDir,
  };
}

/** The paths of a file that was asked for; one that was not found has none. */
export function resourcePaths(record: ResourceReadRecord | ScriptExecutionRecord): ResourcePaths {
  const { sourceId, folder, path, resourcePath } = record;
  if (resourcePath === undefined) return {};
  if (sourceId === undefined || folder === undefined) return { sandboxResourcePath: resourcePath };
  return { resourcePath: pathInSource(sourceId, folder, path), sandboxResourcePath: resourcePath };
}
