import { createRequire } from "node:module";
import type * as Unbash from "unbash";
import type { ParsedScript } from "unbash";

let unbash: typeof Unbash | undefined;

/** Parses a text; if nesting exhausts the stack, returns an empty tree with an error. */
export function parseShell(text: string): ParsedScript {
  // Loaded on first use: most commands of the program never read a shell command.
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

const MAX_BRACE_DEPTH = 40;
const MAX_HERE_DOCUMENTS_A_LINE = 20;
const MAX_OLD_ARITHMETIC = 100;
/** Each level of `$(` is parsed again. */
const MAX_SUBSTITUTION_DEPTH = 30;

/**
 * Blunts text that makes the shell parser quadratic: braces nested in one word, here-documents in one line,
 * unclosed `$[`, nested substitutions. `unread` says what was blunted.
 *
 * Only the excess is replaced, and the rest of that word is not read as the shell would. Positions stay.
 */
export function guardShellText(text: string): { readonly text: string; readonly unread?: string } {
  const faults: string[] = [];
  let guarded = text;
  const replace = (fault: string, blunted: string): void => {
    if (blunted !== guarded) faults.push(fault);
    guarded = blunted;
  };
  if (hasMany(text, "{", MAX_BRACE_DEPTH))
    replace(`braces nested more than ${MAX_BRACE_DEPTH} deep in a word`, bluntNested(text, BRACES));
  if (hasMany(text, "<<", MAX_HERE_DOCUMENTS_A_LINE))
    replace(`${MAX_HERE_DOCUMENTS_A_LINE} here-documents in a line`, bluntHereDocuments(guarded));
  if (hasMany(text, "$[", MAX_OLD_ARITHMETIC))
    replace(`more than ${MAX_OLD_ARITHMETIC} \`$[\``, guarded.replaceAll("$[", "__"));
  if (hasMany(text, "$(", MAX_SUBSTITUTION_DEPTH))
    replace(
      `substitutions nested more than ${MAX_SUBSTITUTION_DEPTH} deep`,
      bluntNested(guarded, SUBSTITUTIONS),
    );
  return faults.length === 0
    ? { text }
    : { text: guarded, unread: `a shell script holds ${faults.join(" and ")}` };
}

function hasMany(text: string, needle: string, limit: number): boolean {
  let count = 0;
  for (let at = text.indexOf(needle); at !== -1 && count < limit; at = text.indexOf(needle, at + 1)) count++;
  return count >= limit;
}

interface Nesting {
  /** Matches an opening, a closing, or a character that ends all open levels. */
  readonly token: RegExp;
  readonly open: string;
  readonly close: string;
  readonly most: number;
}

const BRACES: Nesting = { token: /[{} \n\t]/g, open: "{", close: "}", most: MAX_BRACE_DEPTH };
const SUBSTITUTIONS: Nesting = { token: /\$\(|\)/g, open: "$(", close: ")", most: MAX_SUBSTITUTION_DEPTH };

function bluntNested(text: string, { token, open, close, most }: Nesting): string {
  let depth = 0;
  return text.replace(token, (found) => {
    if (found !== open) {
      depth = found === close ? Math.max(0, depth - 1) : 0;
      return found;
    }
    depth++;
    return depth <= most ? found : "_".repeat(open.length);
  });
}

function bluntHereDocuments(text: string): string {
  return text
    .split("\n")
    .map((line) => (hasMany(line, "<<", MAX_HERE_DOCUMENTS_A_LINE) ? line.replaceAll("<<", "__") : line))
    .join("\n");
}
