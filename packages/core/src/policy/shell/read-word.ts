import type { Word, WordPart } from "unbash";
import type { ShellWord } from "./shell-act.ts";

/**
 * The value of a word, as far as it is known before the command runs.
 *
 * An expansion in double quotes leaves what stands before it certain; one without quotes may become any number of words.
 * Substitutions in the word are not judged here: the walk does that.
 */
export function readWord(word: Word): ShellWord {
  const { text, parts } = word;
  if (text.startsWith("~")) return { kind: "open", text, prefix: /^~(?:\/|$)/.test(text) ? "~" : "" };
  if (parts === undefined) return { kind: "known", value: word.value };
  const known: KnownText = { value: "", isComplete: true, mayMultiply: false };
  for (const part of parts) readPart(part, known);
  if (known.isComplete) return { kind: "known", value: known.value };
  return { kind: "open", text, prefix: known.mayMultiply ? "" : known.value };
}

/** The known start of a word so far. */
interface KnownText {
  value: string;
  isComplete: boolean;
  /** Whether it may become further words, of which nothing is known. */
  mayMultiply: boolean;
}

function readPart(part: WordPart, known: KnownText): void {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      append(part.value, known);
      return;
    case "AnsiCQuoted":
      // A plain `sh` keeps the dollar.
      known.isComplete = false;
      return;
    case "DoubleQuoted":
      for (const child of part.parts) {
        if (child.type === "Literal") append(child.value, known);
        else {
          known.isComplete = false;
          if (isList(child)) known.mayMultiply = true;
        }
      }
      return;
    case "Glob":
      known.isComplete = false;
      return;
    case "BraceExpansion":
      known.isComplete = false;
      if (part.parts?.some(({ type }) => type !== "Literal")) known.mayMultiply = true;
      return;
    case "ProcessSubstitution":
      if (known.isComplete && known.value === "") known.value = "/dev/fd/";
      known.isComplete = false;
      return;
    default:
      known.isComplete = false;
      known.mayMultiply = true;
  }
}

function append(value: string, known: KnownText): void {
  if (known.isComplete) known.value += value;
}

// `"$@"` and `"${a[@]}"` become several words in spite of the quotes.
function isList(part: WordPart): boolean {
  if (part.type === "SimpleExpansion") return part.text === "$@";
  return part.type === "ParameterExpansion" && /@/.test(part.text);
}
