import { printableStrings } from "./printable-strings.ts";

/** The sentences and commands among the strings of bytes that are no text, one a line; noise that happens to be printable is left out. */
export function embeddedWords(bytes: Uint8Array): string {
  return printableStrings(bytes, { minimum: MIN_CHARACTERS })
    .split("\n")
    .map((line) => line.replace(/<[^<>]{0,2000}>/g, " ").trim())
    .filter((line) => WORDS.test(line.slice(0, MAX_SEARCHED_CHARACTERS)))
    .join("\n");
}

const MIN_CHARACTERS = 12;
const MAX_SEARCHED_CHARACTERS = 2_000;
/** Three words in a row that people write, or a command and its address. */
const WORDS =
  /(?:^|[\s"'(])[A-Za-z][a-z]{1,20}[ ,.:]{1,2}(?:[A-Za-z~/][\w.~/'-]{0,40}[ ,.:]{1,2}){1,3}[a-z~/]|\b(?:curl|wget|bash|sh|python3?|powershell|irm|iwr)\s.{0,200}[/|]/;
