/**
 * Reads characters that show as nothing as the digits of a code: two of them as bits of seven, eight or sixteen to a character,
 * a third as a separator, four of them as pairs of bits. Undefined where no reading gives ASCII text.
 */
export function decodeZeroWidth(run: string): string | undefined {
  const symbols = [...new Set(run)];
  if (run.length > MAX_RUN_CHARACTERS || symbols.length < 2 || symbols.length > 4) return undefined;
  for (const separator of symbols.length === 3 ? symbols : []) {
    const digits = symbols.filter((symbol) => symbol !== separator);
    const text = readGroups(
      run.split(separator).filter((group) => group !== ""),
      digits,
    );
    if (text !== undefined) return text;
  }
  if (symbols.length === 2) return readBits(run, symbols);
  if (symbols.length === 4) return readQuarters(run, symbols);
  return undefined;
}

/** Whether a text is ASCII that somebody could have meant: printable, with letters. */
export function isMeaningfulAscii(text: string): boolean {
  return text.length >= 2 && /^[\t\n\r -~]+$/.test(text) && /[A-Za-z]{2}/.test(text);
}

// Longer runs cost more than they could tell; they are reported undecoded.
const MAX_RUN_CHARACTERS = 262_144;

function readGroups(groups: readonly string[], [zero, one]: readonly string[]): string | undefined {
  if (groups.length < 2 || groups.some((group) => group.length > 16)) return undefined;
  for (const ones of [one, zero]) {
    const text = groups.map((group) => String.fromCharCode(Number.parseInt(toBits(group, ones), 2))).join("");
    if (isMeaningfulAscii(text)) return text;
  }
  return undefined;
}

function toBits(run: string, one: string | undefined): string {
  let bits = "";
  for (const symbol of run) bits += symbol === one ? "1" : "0";
  return bits;
}

function readBits(run: string, symbols: readonly string[]): string | undefined {
  for (const one of symbols) {
    const text = textOfBits(toBits(run, one));
    if (text !== undefined) return text;
  }
  return undefined;
}

function textOfBits(bits: string): string | undefined {
  for (const width of [8, 7, 16]) {
    let text = "";
    for (let index = 0; index + width <= bits.length; index += width)
      text += String.fromCharCode(Number.parseInt(bits.slice(index, index + width), 2));
    if (isMeaningfulAscii(text)) return text;
  }
  return undefined;
}

function readQuarters(run: string, symbols: readonly string[]): string | undefined {
  const sample = [...run].slice(0, 64);
  for (const order of permutations(symbols)) {
    const digit = new Map(order.map((symbol, index) => [symbol, index.toString(2).padStart(2, "0")]));
    const read = (part: readonly string[]): string => part.map((symbol) => digit.get(symbol) ?? "").join("");
    if (textOfBits(read(sample)) === undefined) continue;
    const text = textOfBits(read([...run]));
    if (text !== undefined) return text;
  }
  return undefined;
}

function permutations(symbols: readonly string[]): readonly (readonly string[])[] {
  if (symbols.length <= 1) return [symbols];
  return symbols.flatMap((first) =>
    permutations(symbols.filter((symbol) => symbol !== first)).map((rest) => [first, ...rest]),
  );
}
