import type { ShellWord } from "./shell-act.ts";

/** The commands that `find` starts; undefined for one of which a part is not known. */
export function findInnerCommands(
  words: readonly ShellWord[],
): readonly (readonly ShellWord[] | undefined)[] {
  const commands: (readonly ShellWord[] | undefined)[] = [];
  for (let at = 1; at < words.length; at += 1) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(knownValue(words[at]))) continue;
    const from = at + 1;
    while (at < words.length && !endsCommand(words, at)) at += 1;
    commands.push(readInner(words.slice(from, at)));
  }
  return commands;
}

// Elsewhere a plus is a word like any other.
function endsCommand(words: readonly ShellWord[], at: number): boolean {
  const value = knownValue(words[at]);
  return value === ";" || (value === "+" && knownValue(words[at - 1]) === "{}");
}

// A found path begins with the folder where the search begins, which is never an option.
function readInner(inner: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const [program] = inner;
  // A path in the text of a command would be part of it; as a command it would run.
  if (inner.some((word, at) => knownValue(word).includes("{}") && (at === 0 || knownValue(word) !== "{}")))
    return undefined;
  if (program === undefined || program.kind === "open") return undefined;
  return inner.map((word) => (knownValue(word) === "{}" ? { kind: "open", text: "{}", prefix: "./" } : word));
}

function knownValue(word: ShellWord | undefined): string {
  return word?.kind === "known" ? word.value : "";
}
