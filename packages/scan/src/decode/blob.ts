export interface Blob {
  readonly offset: number;
  readonly end: number;
  readonly encoding: string;
  readonly bytes: Uint8Array;
}

export type BlobFinder = (text: string, signs: BlobSigns) => Iterable<Blob>;

/** The signs that a text must have for a blob to be in it, seen in one pass, so that most texts cost no search at all. */
export interface BlobSigns {
  /** Where runs of the base64 alphabet of twelve and more begin and end, in turn. */
  readonly runs: readonly number[];
  readonly hasLongRun: boolean;
  readonly mayHaveHexadecimal: boolean;
  readonly mayHaveBase32: boolean;
  readonly mayHaveHexadecimalPairs: boolean;
  readonly mayHaveNumbers: boolean;
}

export function readBlobSigns(text: string): BlobSigns {
  const runs: number[] = [];
  let pairs = 0;
  let separators = 0;
  let start = -1;
  for (let index = 0; index <= text.length; index++) {
    // The end of the text is not a character of any alphabet.
    const code = index < text.length ? text.charCodeAt(index) : 0;
    if (code < 128 && (ALPHABET[code] ?? 0) > 0) {
      if (start === -1) start = index;
      continue;
    }
    if (start !== -1) {
      if (index - start >= MIN_RUN) runs.push(start, index);
      else if ((index - start === 2 || index - start === 4) && isPair(text, index)) pairs++;
      start = -1;
    }
    if ((code === COMMA || code === SEMICOLON) && followsDigit(text, index)) separators++;
  }
  return { runs, ...runSigns(text, runs, pairs), mayHaveNumbers: separators >= MIN_SEPARATORS };
}

const MIN_RUN = 12;
const MIN_LONG_RUN = 16;
const MIN_BASE32 = 24;
const MIN_PAIRS = 6;
const MIN_SEPARATORS = 5;
const MAX_BLANKS = 8;
const COMMA = 44;
const SEMICOLON = 59;
const HEXADECIMAL_DIGIT = 2;
const ALPHABET: Uint8Array = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
  ALPHABET[character.charCodeAt(0)] = /[0-9a-f]/i.test(character) ? HEXADECIMAL_DIGIT : 1;

const HEXADECIMAL = /[0-9A-Fa-f]{16}/;
const BASE32 = /[A-Z2-7]{24}/;
const DASHED_PAIRS = /[0-9a-f]{2}-[0-9a-f]{2}-[0-9a-f]{2}-/i;

function isPair(text: string, end: number): boolean {
  return (
    ALPHABET[text.charCodeAt(end - 1)] === HEXADECIMAL_DIGIT &&
    ALPHABET[text.charCodeAt(end - 2)] === HEXADECIMAL_DIGIT
  );
}

function runSigns(
  text: string,
  runs: readonly number[],
  pairs: number,
): Omit<BlobSigns, "runs" | "mayHaveNumbers"> {
  let hasLongRun = false;
  let mayHaveHexadecimal = false;
  let mayHaveBase32 = false;
  let mayHaveHexadecimalPairs = pairs >= MIN_PAIRS;
  for (let index = 0; index < runs.length; index += 2) {
    const start = runs[index] ?? 0;
    const end = runs[index + 1] ?? 0;
    if (end - start < MIN_LONG_RUN) continue;
    hasLongRun = true;
    if (mayHaveHexadecimal && mayHaveBase32 && mayHaveHexadecimalPairs) break;
    const run = text.slice(start, end);
    mayHaveHexadecimal ||= HEXADECIMAL.test(run);
    mayHaveBase32 ||= run.length >= MIN_BASE32 && BASE32.test(run);
    mayHaveHexadecimalPairs ||= DASHED_PAIRS.test(run);
  }
  return { hasLongRun, mayHaveHexadecimal, mayHaveBase32, mayHaveHexadecimalPairs };
}

function followsDigit(text: string, index: number): boolean {
  let at = index - 1;
  while (at >= 0 && at >= index - MAX_BLANKS && text.charCodeAt(at) <= 32) at--;
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
