/** Nobody nests deeper in one line; the parser takes quadratic time for those who do. */
const MAX_LINE_NESTING = 24;

/**
 * The document with line feeds alone and at most `MAX_LINE_NESTING` container marks a line, as long as before.
 * Surplus marks become no-break blanks, so that what follows them is still read as prose.
 */
export function guardNesting(text: string): string {
  const plain = text.includes("\r") ? text.replaceAll("\r\n", " \n").replaceAll("\r", "\n") : text;
  const pieces: string[] = [];
  let copied = 0;
  for (let start = 0; start !== -1 && start < plain.length; start = nextLine(plain, start)) {
    const surplus = surplusMarks(plain, start);
    if (surplus === undefined) continue;
    pieces.push(plain.slice(copied, surplus.from), "\u00A0".repeat(surplus.to - surplus.from));
    copied = surplus.to;
  }
  return pieces.length === 0 ? plain : pieces.join("") + plain.slice(copied);
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? -1 : end + 1;
}

function surplusMarks(
  text: string,
  start: number,
): { readonly from: number; readonly to: number } | undefined {
  let marks = 0;
  let from = -1;
  let at = start;
  for (;;) {
    while (text[at] === " " || text[at] === "\t") at++;
    const end = endOfMark(text, at);
    if (end === at) break;
    if (++marks > MAX_LINE_NESTING && from === -1) from = at;
    at = end;
  }
  return from === -1 ? undefined : { from, to: at };
}

function endOfMark(text: string, at: number): number {
  const character = text[at];
  if (character === ">") return at + 1;
  if (character === "-" || character === "+" || character === "*") return isBlank(text[at + 1]) ? at + 1 : at;
  let end = at;
  while (end < at + 9 && isDigit(text[end])) end++;
  if (end === at || (text[end] !== "." && text[end] !== ")")) return at;
  return isBlank(text[end + 1]) ? end + 1 : at;
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\n" || character === undefined;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= "0" && character <= "9";
}
