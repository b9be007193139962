import { SkilletError } from "@skillet/kit/errors";
import { isJsonObject, parseStrictJson } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { checkEntry, type EntryFault } from "./check-entry.ts";
import type { Lock, LockEntry } from "./lock-entry.ts";
import { LOCK_VERSION } from "./lock-version.ts";

/** The most bytes of a lock that are read: some 100,000 files. */
export const MAX_LOCK_BYTES: number = 32 * 1024 * 1024;

/**
 * Reads a lock; whatever is not whole and well-formed is an error with its line, and never an empty lock.
 *
 * @example
 * const { skills } = parseLock(text, "skillet.lock");
 */
export function parseLock(text: string, file: string): Lock {
  const conflict = findConflict(text);
  if (conflict !== undefined) {
    throw invalid(file, conflict, "a merge conflict is not settled", "settle it with your version control");
  }
  const parsed = parseStrictJson(text);
  if ("fault" in parsed) throw invalid(file, parsed.fault.range.line, parsed.fault.problem);
  if (!isJsonObject(parsed.root)) throw invalid(file, 1, "the document is not an object");
  const { lockVersion, skills, ...rest } = parsed.root;
  checkVersion(lockVersion, file);
  if (!isJsonObject(skills)) throw invalid(file, 1, 'there is no object "skills"');
  const entries = new Map<string, LockEntry>();
  for (const name of Object.keys(skills)) {
    const result = readEntry(name, skills[name]);
    if ("problem" in result) throw invalid(file, parsed.lineOf(result.at ?? skills), result.problem);
    entries.set(name, result.entry);
  }
  const extra: Record<string, unknown> = Object.assign(Object.create(null), rest);
  // Whoever wrote it by hand may have had another order.
  const sorted = new Map([...entries].sort(([left], [right]) => compareByteOrder(left, right)));
  return Object.keys(extra).length === 0 ? { skills: sorted } : { skills: sorted, extra };
}

// Seven marks at the start of a line cannot occur in JSON that is laid out as ours, and texts hold no line ends.
function findConflict(text: string): number | undefined {
  const match = /^(?:<{7}|>{7}|\|{7}|={7})(?: |\r?$)/m.exec(text);
  return match === null ? undefined : text.slice(0, match.index).split("\n").length;
}

function checkVersion(version: unknown, file: string): void {
  if (version === LOCK_VERSION) return;
  if (typeof version === "number" && Number.isSafeInteger(version) && version > LOCK_VERSION) {
    const message = `${file} has version ${version}, and this Skillet knows ${LOCK_VERSION}; it was left alone. Use the newer Skillet that wrote it.`;
    throw new SkilletError("lock-newer", message, { data: { file, version } });
  }
  throw invalid(file, 1, `"lockVersion" is not ${LOCK_VERSION}`);
}

function readEntry(name: string, value: unknown): { readonly entry: LockEntry } | EntryFault {
  const problem = nameProblem(name);
  if (problem !== undefined) return { problem, at: isJsonObject(value) ? value : undefined };
  return checkEntry(name, value);
}

// Names become folders, lines on a terminal, and words of commands that people are advised to paste into a shell.
function nameProblem(name: string): string | undefined {
  if (name === "" || name === "." || name === ".." || name.length > 256)
    return `${JSON.stringify(name.slice(0, 80))} is no name of a skill`;
  if (/^-|[\s"'`$&;|<>()[\]{}*?!#~^]/.test(name))
    return `the name ${JSON.stringify(name.slice(0, 80))} has a space, or a character that a shell would act on`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return /[\u0000-\u001f\u007f-\u009f/\\]/.test(name)
    ? `the name ${JSON.stringify(name.slice(0, 80))} has a slash or a control character`
    : undefined;
}

function invalid(file: string, line: number, problem: string, remedy?: string): SkilletError {
  const what = remedy ?? "correct it, or restore it from version control or a backup";
  const message = `${file}:${line}: ${problem}. Nothing was changed; ${what}, then try again.`;
  return new SkilletError("lock-invalid", message, { data: { file, line, problem } });
}
