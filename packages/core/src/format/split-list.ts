/**
 * Splits a text at spaces and commas, or at commas only, outside brackets of any kind.
 *
 * @example
 * splitList("Bash(git add:*), Read"); // ["Bash(git add:*)", "Read"]
 */
export function splitList(
  text: string,
  at: "spaces-and-commas" | "commas" = "spaces-and-commas",
): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const character = text[index] ?? ",";
    if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character)) depth = Math.max(0, depth - 1);
    const splits = character === "," || (at === "spaces-and-commas" && character.trim() === "");
    if (!splits || (depth > 0 && index < text.length)) continue;
    const part = text.slice(start, index).trim();
    if (part !== "") parts.push(part);
    start = index + 1;
  }
  return parts;
}

const OPENING: ReadonlySet<string> = new Set("([{");
const CLOSING: ReadonlySet<string> = new Set(")]}");
