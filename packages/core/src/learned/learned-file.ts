import { join } from "node:path";
import { diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { sortByByteOrder } from "@skillet/kit/order";
import type { Learned, LearnedSkill } from "@skillet/select";
import { NOTHING_LEARNED } from "@skillet/select/parts";
import { type ParsedLearned, parseLearned } from "./parse-learned.ts";

/** Writes the learned file of a home if it is unchanged since the change was shown. */
export async function writeLearned(
  home: string,
  change: {
    readonly text: string;
    /** The text that was read before; undefined if there was no file. */
    readonly replaces: string | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<void> {
  const { text, replaces, signal } = change;
  const file = learnedPath(home);
  if (Buffer.byteLength(text) > MAX_LEARNED_BYTES) {
    const message = `${file} would grow beyond ${MAX_LEARNED_BYTES} bytes, so it was not written; remove entries that are no longer needed.`;
    throw new SkilletError("file-too-large", message, { data: { path: file, maxBytes: MAX_LEARNED_BYTES } });
  }
  await ensureHome(home);
  await withFileLock(
    `${file}.lock`,
    async () => {
      const { text: present, diagnostics } = readLearned(home);
      const isUnreadable = present === undefined && diagnostics.length > 0;
      if (present !== replaces || isUnreadable) throw changedMeanwhile(file);
      await writeAtomic(file, text, { mode: 0o600 });
    },
    { ...(signal && { signal }) },
  );
}

function changedMeanwhile(file: string): SkilletError {
  const message = `${file} has changed since the change was shown, so nothing was written; learn again.`;
  return new SkilletError("learned-changed", message, { data: { path: file } });
}

/** Formats for review by people; the same content always gives the same bytes. */
export function formatLearned({ skills }: Learned): string {
  const entries = sortByByteOrder([...skills], ([name]) => name).flatMap((entry) => formatSkill(...entry));
  return [...HEADER, "version: 1", entries.length === 0 ? "skills: {}" : "skills:", ...entries, ""].join(
    "\n",
  );
}

const HEADER: readonly string[] = [
  "# What use has taught about when to offer skills. `skillet eval learn` writes it from the records of sessions, after",
  "# showing every change; you can change or delete anything. Learning again writes an entry anew, except for its note",
  "# and the examples that it has, and leaves one with `keep: true` alone. Comments do not stay; a note does.",
  "#",
  "#   origin, digest     where the skill came from, and the SKILL.md that this was learned on. Of a skill of another",
  "#                      origin it says nothing; when the text has changed, the threshold counts half.",
  "#   used, ignored,     in how many turns the skill was used, was offered and passed over, and was wrong.",
  "#   wrong",
  "#   threshold          how much surer selection must be to offer it, in log-odds from -0.75 to 1.5. Above 0 it is",
  "#                      offered less often, below 0 more often; 0.7 halves the odds.",
  "#   wanted, unwanted   messages that it was used for, and that it was not wanted for.",
  "#   generated          messages that a model wrote from the SKILL.md in generatedFrom, by `skillet enrich`: they help to",
  "#                      find the skill while its text is that one. Delete what a user of it would not say.",
  "#   note               your own words.",
  "#   keep               true: learning leaves this entry as it is.",
  "",
];

const KEYS = [
  ...(["origin", "digest", "used", "ignored", "wrong", "threshold"] as const),
  ...(["wanted", "unwanted", "generatedFrom", "generated", "note", "keep"] as const),
];

function formatSkill(name: string, skill: LearnedSkill): readonly string[] {
  const fields = KEYS.flatMap((key) => {
    const value = skill[key];
    if (value === undefined || value === false) return [];
    if (typeof value === "number" || value === true) return [`    ${key}: ${value}`];
    if (typeof value === "string")
      return [`    ${key}: ${key === "note" ? quote(value) : formatText(value)}`];
    return value.length === 0 ? [] : [`    ${key}:`, ...value.map((text) => `      - ${quote(text)}`)];
  });
  return [`  ${formatText(name)}:`, ...fields];
}

// Unquoted, YAML could read anything but a plain word as something else: null, a number, a comment.
function formatText(text: string): string {
  const isPlain =
    /^[a-z][a-z0-9-]*(?::[a-z0-9][a-z0-9-]*)?$/.test(text) && !/^(?:null|true|false)$/.test(text);
  return isPlain ? text : quote(text);
}

// JSON leaves these unescaped, but YAML takes some for a line break and refuses others.
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Room for thousands of skills; a longer file is not read. */
export const MAX_LEARNED_BYTES: number = 1024 * 1024;

export interface LearnedReading extends ParsedLearned {
  readonly file: string;
  /** Absent if there is no file, or it cannot be read. */
  readonly text?: string;
}

export function learnedPath(home: string): string {
  return join(home, "selection.yaml");
}

/** Only the user's home has one: a project's or a skill's own could keep other skills from being offered. */
export function readLearned(home: string): LearnedReading {
  const file = learnedPath(home);
  try {
    const bytes = readBoundedFile(file, { maxBytes: MAX_LEARNED_BYTES });
    if (bytes === undefined) return { file, learned: NOTHING_LEARNED, diagnostics: [] };
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { file, text, ...parseLearned(text, file) };
  } catch (error) {
    if (SkilletError.isInstance(error)) return unreadable(file, error.message);
    if (error instanceof TypeError) return unreadable(file, "It is not UTF-8 text.");
    throw error;
  }
}

function unreadable(file: string, why: string): LearnedReading {
  const message = `What was learned from use cannot be read and has no effect: ${why}`;
  const hint = "Repair the file, or move it away and learn again with `skillet eval learn`.";
  const diagnostics = [diagnostic("error", "learned-unreadable", file, message, hint)];
  return { file, learned: NOTHING_LEARNED, diagnostics };
}
