import { createRequire } from "node:module";
import type * as Unbash from "unbash";
import type { ParsedScript } from "unbash";

let unbash: typeof Unbash | undefined;

/** The parser's tree; where nesting exhausts the stack, an empty one with an error. */
export function parseShell(text: string): ParsedScript {
  // Loaded on first need: most commands of the program never read a shell command.
  unbash ??= createRequire(import.meta.url)("unbash") as typeof Unbash;
  try {
    return unbash.parse(text);
  } catch (error) {
    // The parser bounds most nesting, but not `a()a()a()…`.
    if (!(error instanceof RangeError)) throw error;
    return {
      type: "Script",
      pos: 0,
      end: text.length,
      shebang: undefined,
      commands: [],
      errors: [{ message: "nested too deeply", pos: 0 }],
    };
  }
}

/** A text that the parser reads in linear time, with a word on what had to be blunted for it. */
export interface GuardedText {
  /** As long as the original, so that positions hold. */
  readonly text: string;
  readonly unread?: string;
}

const MAX_BRACE_DEPTH = 40;
const MAX_HERE_DOCUMENTS_A_LINE = 20;
const MAX_OLD_ARITHMETIC = 100;
/** Each level of `$(` is parsed anew. */
const MAX_SUBSTITUTION_DEPTH = 30;

/**
 * Blunts what makes the shell parser quadratic: braces nested in one word, here-documents in one line, unclosed `$[`,
 * substitutions in substitutions.
 *
 * Only the surplus is replaced, and the rest of that word is not read as the shell would.
 */
export function guardShellText(text: string): GuardedText {
  const faults: string[] = [];
  let guarded = text;
  if (countUpTo(text, "{", MAX_BRACE_DEPTH) >= MAX_BRACE_DEPTH) guarded = bluntBraces(guarded, faults);
  if (countUpTo(text, "<<", MAX_HERE_DOCUMENTS_A_LINE) >= MAX_HERE_DOCUMENTS_A_LINE)
    guarded = bluntHereDocuments(guarded, faults);
  if (countUpTo(text, "$[", MAX_OLD_ARITHMETIC) >= MAX_OLD_ARITHMETIC) {
    guarded = guarded.replaceAll("$[", "__");
    faults.push("more than 100 `$[`");
  }
  if (countUpTo(text, "$(", MAX_SUBSTITUTION_DEPTH) >= MAX_SUBSTITUTION_DEPTH)
    guarded = bluntSubstitutions(guarded, faults);
  return faults.length === 0
    ? { text }
    : { text: guarded, unread: `a shell script holds ${faults.join(" and ")}` };
}

function countUpTo(text: string, needle: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf(needle); at !== -1 && count < limit; at = text.indexOf(needle, at + 1)) count++;
  return count;
}

function bluntBraces(text: string, faults: string[]): string {
  const characters: string[] = [];
  let depth = 0;
  let kept = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x7b) {
      depth++;
      if (depth <= MAX_BRACE_DEPTH) continue;
      characters.push(text.slice(kept, at), "_");
      kept = at + 1;
    } else if (character === 0x7d) depth = Math.max(0, depth - 1);
    else if (character === 0x20 || character === 0x0a || character === 0x09) depth = 0;
  }
  if (kept === 0) return text;
  faults.push(`braces nested more than ${MAX_BRACE_DEPTH} deep in a word`);
  return characters.join("") + text.slice(kept);
}

function bluntSubstitutions(text: string, faults: string[]): string {
  const pieces: string[] = [];
  let depth = 0;
  let kept = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x29) depth = Math.max(0, depth - 1);
    else if (character === 0x28 && text.charCodeAt(at - 1) === 0x24) {
      depth++;
      if (depth <= MAX_SUBSTITUTION_DEPTH) continue;
      pieces.push(text.slice(kept, at - 1), "__");
      kept = at + 1;
    }
  }
  if (kept === 0) return text;
  faults.push(`substitutions nested more than ${MAX_SUBSTITUTION_DEPTH} deep`);
  return pieces.join("") + text.slice(kept);
}

function bluntHereDocuments(text: string, faults: string[]): string {
  let isBlunted = false;
  const lines = text.split("\n").map((line) => {
    if (countUpTo(line, "<<", MAX_HERE_DOCUMENTS_A_LINE) < MAX_HERE_DOCUMENTS_A_LINE) return line;
    isBlunted = true;
    return line.replaceAll("<<", "__");
  });
  if (!isBlunted) return text;
  faults.push(`${MAX_HERE_DOCUMENTS_A_LINE} here-documents in a line`);
  return lines.join("\n");
}
