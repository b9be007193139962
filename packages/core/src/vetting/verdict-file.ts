import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";
import {
  array,
  digest,
  object,
  optional,
  readDocument,
  record,
  text,
  wholeNumber,
} from "@skillet/kit/schema";

/** The longest verdict file that is read; a longer one is ignored. */
export const MAX_VERDICT_FILE_BYTES: number = 16 * 1024 * 1024;

const VERSION = 3;

export interface KnownFinding {
  readonly rule: string;
  readonly severity: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface KnownVerdict {
  readonly verdict: string;
  readonly counts: { readonly critical: number; readonly warn: number; readonly info: number };
  /** The worst few. */
  readonly findings: readonly KnownFinding[];
  /** Every rule with a critical finding, sorted. */
  readonly criticalRules: readonly string[];
  /** The judge that read the skill, if one did; its comments are in the findings. */
  readonly readBy?: string | undefined;
  /** The last write that used the verdict; those unused for longest are dropped first. */
  readonly generation: number;
}

export interface KnownPlace {
  /** The status of its files; if it changes, the entry is void. */
  readonly stamp: string;
  readonly digest: Digest;
  /** Covers the files of its tree that could be read. */
  readonly read: Digest;
  /** The SKILL.md, whose description is the first text that a model sees. */
  readonly skill: Digest;
  readonly verdict: string;
  readonly withheld?: string | undefined;
  readonly generation: number;
}

export interface VerdictFile {
  readonly ruleSet: string;
  readonly generation: number;
  readonly verdicts: ReadonlyMap<string, KnownVerdict>;
  /** Keyed by the path of SKILL.md. */
  readonly places: ReadonlyMap<string, KnownPlace>;
}

export function verdictPath(cacheDirectory: string): string {
  return join(cacheDirectory, "verdicts.json");
}

/** Reads the known verdicts; a file that is torn, too long or of another version counts as absent. */
export function readVerdictFile(cacheDirectory: string): VerdictFile | undefined {
  try {
    const bytes = readBoundedFile(verdictPath(cacheDirectory), { maxBytes: MAX_VERDICT_FILE_BYTES });
    return bytes && parse(bytes);
  } catch (error) {
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

interface VerdictDocument extends Pick<VerdictFile, "ruleSet" | "generation"> {
  readonly version: number;
  readonly verdicts: Readonly<Record<string, KnownVerdict>>;
  readonly places: Readonly<Record<string, KnownPlace>>;
}

const count = wholeNumber(0);

const finding = object<KnownFinding>({ rule: text, severity: text, file: text, line: count, message: text });

const verdict = object<KnownVerdict>({
  verdict: text,
  counts: object<KnownVerdict["counts"]>({ critical: count, warn: count, info: count }),
  findings: array(finding),
  criticalRules: array(text),
  readBy: optional(text),
  generation: count,
});

const place = object<KnownPlace>({
  stamp: text,
  digest,
  read: digest,
  skill: digest,
  verdict: text,
  withheld: optional(text),
  generation: count,
});

const document = object<VerdictDocument>({
  version: count,
  ruleSet: text,
  generation: count,
  verdicts: record(verdict),
  places: record(place),
});

/** Formats a verdict file; the same content always gives the same bytes. */
export function formatVerdictFile({ ruleSet, generation, verdicts, places }: VerdictFile): string {
  const byKey = { verdicts: Object.fromEntries(verdicts), places: Object.fromEntries(places) };
  return `${JSON.stringify({ version: VERSION, ruleSet, generation, ...byKey })}\n`;
}

function parse(bytes: Uint8Array): VerdictFile | undefined {
  const file = readDocument(document, parseJson(bytes)).value;
  if (file?.version !== VERSION) return undefined;
  const { ruleSet, generation } = file;
  const [verdicts, places] = [new Map(Object.entries(file.verdicts)), new Map(Object.entries(file.places))];
  return { ruleSet, generation, verdicts, places };
}
