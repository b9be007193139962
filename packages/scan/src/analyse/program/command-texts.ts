import { HOLE, textsOf, type Value } from "./value.ts";

/** Commands as a shell would be given them: a text as it is, words quoted; unknown parts as `$UNKNOWN`. */
export function commandTexts(command: Value | readonly Value[]): readonly string[] {
  if (isWords(command)) {
    const [program] = command;
    if (program?.text === undefined || program.text === HOLE) return [];
    return [
      command
        .slice(0, 256)
        .map((word) => quote(word.text ?? (word.number === undefined ? HOLE : String(word.number))))
        .join(" "),
    ];
  }
  const texts = command.box?.items === undefined ? textsOf(command) : [];
  return texts
    .filter((text) => text.replaceAll(HOLE, "").trim() !== "")
    .map((text) => text.replaceAll(HOLE, "$UNKNOWN"));
}

function isWords(command: Value | readonly Value[]): command is readonly Value[] {
  return Array.isArray(command);
}

function quote(word: string): string {
  if (word.includes(HOLE)) return `"${word.replace(/["\\$`]/g, "\\$&").replaceAll(HOLE, "$UNKNOWN")}"`;
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
