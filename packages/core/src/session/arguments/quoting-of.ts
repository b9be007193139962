/** How a shell reads a place of a command; "unclear" where that is not certain, or not text that is expanded. */
export type Quoting = "unquoted" | "double" | "single" | "unclear";

/**
 * How a shell reads each of some places of a command, which are in order.
 *
 * One pass that gives up early: behind anything but words, quotes, plain variables and simple substitutions, every place is
 * unclear. A wrong answer would put quotes in the wrong place, but never a value into the command: values are parameters.
 */
export function quotingOf(
  command: string,
  places: readonly { readonly start: number; readonly end: number }[],
): Quoting[] {
  const found = places.map((): Quoting => "unclear");
  let isDouble = false;
  let index = 0;
  for (let at = 0; at < command.length; ) {
    const place = places[index];
    if (place !== undefined && at >= place.start) {
      // `$` before a reference would make another of it.
      const isWhole = at === place.start && command.charAt(at - 1) !== "$";
      if (isWhole) found[index] = isDouble ? "double" : "unquoted";
      index += 1;
      at = Math.max(at, place.end);
      continue;
    }
    if (command.charAt(at) === '"') isDouble = !isDouble;
    const length = lengthAt(command, at, isDouble);
    if (length === undefined) return found;
    const isSingle = !isDouble && command.charAt(at) === "'";
    at += length;
    while (isSingle && (places[index]?.start ?? at) < at) found[index++] = "single";
  }
  return isDouble ? places.map(() => "unclear") : found;
}

/** How many characters may be passed over, or undefined when what follows cannot be placed. */
function lengthAt(command: string, at: number, isDouble: boolean): number | undefined {
  for (const pattern of isDouble ? IN_QUOTES : OUTSIDE) {
    pattern.lastIndex = at;
    const match = pattern.exec(command);
    if (match !== null) return match[0].length;
  }
  return undefined;
}

const ESCAPED = /\\.?/sy;
// No quotes and nothing nested, so that all shells agree on where it ends.
const SIMPLE_SUBSTITUTION = /\$\([^()'"`\\#<>$]*\)|\$\{\w+\}/y;
const IN_QUOTES: readonly RegExp[] = [ESCAPED, SIMPLE_SUBSTITUTION, /\$(?![({])|[^\\$`]/y];
const OUTSIDE: readonly RegExp[] = [
  ESCAPED,
  SIMPLE_SUBSTITUTION,
  /'[^']*'/y,
  // A comment reaches to the end of its line.
  /(?<![^\s;&|()])#[^\n]*/y,
  /<<<|[<>](?![<(])|>>(?!\()/y,
  // Tests and subscripts evaluate what they are given, arithmetic too; a name before a parenthesis makes a function or a list.
  /(?<!\w)\[(?!\[)|(?<![\w=(])\((?![()])/y,
  /\$(?!['"({])|[^\\$`'#<>[(]|(?<=[^\s;&|()])#/y,
];
