import {
  concatenate,
  EMPTY,
  known,
  MAX_VALUE_CHARACTERS,
  mergeSources,
  sourcesOf,
  unknown,
  type Value,
} from "../value.ts";

/** What printf prints: escapes read, arguments put in, the format begun again while arguments are left. */
export function formatPrintf(words: readonly Value[]): Value {
  const [format, ...rest] = words;
  if (format === undefined) return EMPTY;
  if (!words.every(({ isKnown }) => isKnown)) {
    const text = concatenate([{ ...format, text: readEscapes(format.text) }, ...rest], " ").text;
    return unknown(sourcesOf(words), text);
  }
  const isEncoded = /\\(?:x[0-9a-f]{2}|0?[0-7]{3}).{0,4}\\(?:x|0|[1-7])/i.test(format.text);
  const sources = isEncoded
    ? mergeSources(sourcesOf(words), [{ type: "decoded", encoding: "escapes" }])
    : sourcesOf(words);
  const pieces = readEscapes(format.text).split(/(%[-+ 0#]{0,5}\d{0,3}(?:\.\d{0,3})?[sdiubxXoqc%])/);
  const holes = pieces.filter((piece) => piece.startsWith("%") && piece.length > 1 && piece !== "%%").length;
  const out: string[] = [];
  let length = 0;
  let next = 0;
  do {
    for (const piece of pieces) {
      if (length > MAX_VALUE_CHARACTERS) return unknown(sources, out.join(""));
      if (piece === "%%") out.push("%");
      else if (piece.startsWith("%") && piece.length > 1) {
        const argument = rest[next++]?.text ?? "";
        length += argument.length;
        out.push(piece.endsWith("b") ? readEscapes(argument) : argument);
      } else out.push(piece);
    }
  } while (holes > 0 && next < rest.length && out.length < 10_000);
  return known(out.join(""), sources);
}

/** Reads `\n`, `\x41`, `\101`, `\u0041` and the like. */
export function readEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|0?([0-7]{1,3})|([abefnrtv\\"']))/g,
    (_whole, hex?: string, unicode?: string, octal?: string, letter?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      return LETTERS.get(letter ?? "") ?? letter ?? "";
    },
  );
}

const LETTERS: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["e", "\x1b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
