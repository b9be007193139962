import { HIDDEN } from "@skillet/kit/text";
import { parseShell, programName } from "@skillet/shell/programs";
import { hidden, type ShellAct, type ShellReading, type ShellWord } from "./shell-act.ts";
import { startedBy } from "./started-by.ts";
import { walkScript } from "./walk-script.ts";

/** Shells in shells; each contains the text of the next, so the total text is bounded. */
const MAX_SHELL_DEPTH = 4;
/** Every rule is tested against each of them. */
const MAX_ACTS = 200;

export function readShell(text: string, depth: number = 0): ShellReading {
  const problem = depth > MAX_SHELL_DEPTH ? "it starts shells in shells" : checkShellText(text);
  if (problem !== undefined) return [hidden(problem)];
  const acts = walkScript(parseShell(text), { pos: 0, end: text.length }, text, (words) =>
    readCommand(words, (inner) => readShell(inner, depth + 1)),
  );
  return acts.length <= MAX_ACTS ? acts : [hidden("it does too many things")];
}

/** `readShell` for a program and its arguments that no shell sees. */
export function readArguments(argv: readonly string[]): ShellReading {
  const size = argv.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (size > MAX_COMMAND_BYTES) return [hidden("it is longer than 4 KiB")];
  const words = argv.map((value): ShellWord => ({ kind: "known", value }));
  return [readCommand(words, readShell)];
}

/** `env env env …`: nobody nests more than these. */
const MAX_STARTED_DEPTH = 8;

function readCommand(
  words: readonly ShellWord[],
  readText: (text: string) => ShellReading,
  depth: number = 0,
): ShellAct {
  const [first] = words;
  if (first?.kind !== "known" || first.value === "" || depth > MAX_STARTED_DEPTH)
    return hidden(`it is not known which program ${showWord(first)} starts`);
  const program = programName(first.value);
  const runs = startedBy(program, words, {
    readText,
    readCommand: (inner) => readCommand(inner, readText, depth + 1),
  });
  if (runs === undefined) return { kind: "command", words };
  // `./env` may be any program.
  const isTransparent = runs.isTransparent && first.value === program;
  return { kind: "command", words, runs: { ...runs, isTransparent } };
}

function showWord(word: ShellWord | undefined): string {
  return JSON.stringify(word?.kind === "open" ? word.text : (word?.value ?? ""));
}

/** Longer commands are not judged: users do not read them, and the parser is slow on some. */
export const MAX_COMMAND_BYTES = 4096;
/** The parser's time grows with the square of the nesting; people nest a handful. */
const MAX_OPENERS = 100;

/** Why a command is not even parsed, or undefined if it may be. */
export function checkShellText(text: string): string | undefined {
  if (text.length > MAX_COMMAND_BYTES || Buffer.byteLength(text) > MAX_COMMAND_BYTES)
    return "it is longer than 4 KiB";
  if (text.trim() === "") return "it is empty";
  const odd = /^[\n\t -~]*$/.test(text) ? null : new RegExp(UNSEEN, "u").exec(text);
  if (odd !== null) {
    const code = (odd[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `it holds the invisible character U+${code}`;
  }
  if ((text.match(OPENERS)?.length ?? 0) > MAX_OPENERS) return "it nests too much";
  if (CONTINUED_WORD.test(text)) return "a word goes on in the next line";
  // zsh drops the backslash, other shells keep it.
  if (/(?<!\\)(?:\\\\)*\\$/.test(text)) return "it ends in a backslash";
  if ((text.match(HERE_DOCUMENTS)?.length ?? 0) > 1) return "it has several here-documents";
  if (AMBIGUOUS.test(text)) return "shells read its brackets in different ways";
  if (hasHistoryExpansion(text)) return "it may hold a history expansion (`!`)";
  return undefined;
}

// The user must see what runs, and shells differ on these. Unicode classes take a millisecond to prepare.
const UNSEEN = `(?![ \\n\\t])[${HIDDEN}\\p{Z}]`;
// Shells join the lines before they see operators such as `$(`; between words there is nothing to join.
const CONTINUED_WORD = /(?<![ \t])\\\n/;
// Old arithmetic, an index in zsh only, and arithmetic that may be two subshells.
const AMBIGUOUS = /\$\w*\[|(?<!\$)\(\(/;
// Shells disagree about where two here-documents end.
const HERE_DOCUMENTS = /(?<!<)<<(?!<)/g;
const OPENERS = /[({[`]|<</g;

// Interactive shells expand these before parsing, and some ignore `$'` and quotes that span lines.
function hasHistoryExpansion(text: string): boolean {
  if (/^\^/m.test(text)) return true;
  const isPlain = !text.includes("\n") && !text.includes("$'");
  let quote: "'" | '"' | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\\" && quote !== "'") index += 1;
    else if (character === "'" && quote !== '"') quote = quote === "'" ? undefined : "'";
    else if (character === '"' && quote !== "'") quote = quote === '"' ? undefined : '"';
    else if (character === "!" && !(quote === "'" && isPlain) && expands(text[index + 1], quote)) return true;
  }
  return false;
}

function expands(next: string | undefined, quote: "'" | '"' | undefined): boolean {
  if (next === undefined || /[\s=]/.test(next)) return false;
  return !(next === '"' && quote === '"');
}
