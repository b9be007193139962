import { resolveVariables } from "./resolve-variables.ts";
import type { RuleDirectories, ShellRule, WordPattern } from "./tool-rule.ts";

/**
 * Reads what stands in the parentheses of `Bash(…)`: words, and at the end `:*` or ` *` for any further ones.
 *
 * A rule is for one command: operators, expansions and assignments in it are not understood.
 */
export function parseShellPattern(
  text: string,
  directories: RuleDirectories,
): Pick<ShellRule, "words" | "match"> | { problem: string; hint: string } {
  const [, fixed = "", wildcard] = /^(.*?)(:\*|\s\*)?$/s.exec(text.trim()) ?? [];
  const words: WordPattern[] = [];
  for (const [piece] of fixed.trim().matchAll(WORDS)) {
    if (piece.trim() === "") continue;
    const word = readWordPattern(piece, directories, words.length);
    if (word === undefined)
      return {
        problem: `has ${JSON.stringify(piece)} in it, which is not understood`,
        hint: "write one rule for each command: its words, and `:*` for any further ones",
      };
    words.push(word);
  }
  if (words.length === 0) return { problem: "names no command", hint: "write it like Bash(git log:*)" };
  // `Bash(npm run test*)` is for what starts so, and whatever follows.
  const isOpen = wildcard !== undefined || words.at(-1)?.match === "prefix";
  return { words, match: isOpen ? "prefix" : "exact" };
}

// Quoted words stand alone: glued together with others they would need a shell's rules.
const WORDS = /(?:'[^']*'|"[^"]*")(?=\s|$)|\S+|\s+/g;

function readWordPattern(
  piece: string,
  directories: RuleDirectories,
  position: number,
): WordPattern | undefined {
  const [, single, double] = /^(?:'([^']*)'|"([^"$`\\]*)")$/.exec(piece) ?? [];
  const quoted = single ?? double;
  if (quoted !== undefined) return { text: quoted, match: "exact" };
  const [, text = "", star] = /^([^*]*)(\*)?$/.exec(piece) ?? [];
  const plain = text.replace(/\$\{\w+\}|\{baseDir\}/g, "");
  const isOdd = /["'`\\$;&|<>(){}[\]?]|,$|^[#~!]/.test(plain) || (position === 0 && plain.includes("="));
  const resolved = isOdd ? undefined : resolveVariables(text, directories);
  if (resolved === undefined) return undefined;
  if (star === undefined) return resolved === "" ? undefined : { text: resolved, match: "exact" };
  // `git:*` in the middle leaves open what it is for.
  if (resolved.endsWith(":")) return undefined;
  if (resolved !== "") return { text: resolved, match: "prefix" };
  // Any program whatever is what `Bash` alone says.
  return position === 0 ? undefined : { text: "", match: "any" };
}
