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

/** The longest file of verdicts that is read; a longer one is as good as none. */
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
  /** The judge that read the skill, where one did; what it says is in the findings. */
  readonly readBy?: string | undefined;
  /** The last writing that wanted it; those unused for longest go first. */
  readonly generation: number;
}

export interface KnownPlace {
  /** Of its files; with another stamp, nothing is known about it. */
  readonly stamp: string;
  readonly digest: Digest;
  /** Over the files of its tree that could be read. */
  readonly read: Digest;
  /** Of SKILL.md, whose description is what a model is told first. */
  readonly skill: Digest;
  readonly verdict: string;
  /** Why it was not offered then. */
  readonly withheld?: string | undefined;
  readonly generation: number;
}

export interface VerdictFile {
  readonly ruleSet: string;
  readonly generation: number;
  readonly verdicts: ReadonlyMap<string, KnownVerdict>;
  /** By the path of SKILL.md. */
  readonly places: ReadonlyMap<string, KnownPlace>;
}

export function verdictPath(cacheDirectory: string): string {
  return join(cacheDirectory, "verdicts.json");
}

/** Reads what is known; a file that is not there, torn, too long or of another version is as good as none. */
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

/** The text of a file of verdicts; the same content always gives the same bytes. */
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
