import { findCommands } from "@skillet/shell/programs";
import type { ShellWord } from "./shell-act.ts";

/** The commands that `find` starts; undefined for one of which a part is not known. */
export function findInnerCommands(
  words: readonly ShellWord[],
): readonly (readonly ShellWord[] | undefined)[] {
  return findCommands(words.map(knownValue)).map(([from, end]) => readInner(words.slice(from, end)));
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
