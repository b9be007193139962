export interface HiddenCharacters {
  readonly how: "tag-characters" | "variation-selectors" | "zero-width";
  readonly offset: number;
  readonly count: number;
  /** As ASCII; empty if no decoding gives words. */
  readonly text: string;
}

/** Finds messages in tag characters, variation selectors and zero-width characters; skips flags, emoji and scripts that need them. */
export function findHiddenCharacters(text: string): HiddenCharacters[] {
  const found: HiddenCharacters[] = [];
  if (TAG.test(text)) found.push(...findTags(text));
  if (SELECTOR.test(text)) found.push(...findSelectors(text));
  if (ZERO_WIDTH.test(text)) found.push(...findZeroWidth(text));
  return found.sort((left, right) => left.offset - right.offset);
}

const TAG = /[\u{e0000}-\u{e007f}]/u;
const TAG_RUNS = /(\u{1f3f4})?([\u{e0000}-\u{e007f}]+)/gu;
// Subdivision flags that fonts draw: those of the United Kingdom and the US states.
const FLAG = /^(?:gb(?:eng|sct|wls|nir)|us[a-z]{2})$/;

function findTags(text: string): HiddenCharacters[] {
  const how = "tag-characters";
  const runs: HiddenCharacters[] = [];
  for (const match of text.matchAll(TAG_RUNS)) {
    const points = [...(match[2] ?? "")].map((character) => character.codePointAt(0) ?? 0);
    const ascii = points.map((point) => String.fromCharCode(point - 0xe0000)).join("");
    if (match[1] !== undefined && ascii.endsWith("\u007f") && FLAG.test(ascii.slice(0, -1))) continue;
    const plain = ascii.replace(/[^\t\n\r -~]/g, "");
    runs.push({ how, offset: match.index, count: points.length, text: plain });
  }
  const [first] = runs;
  if (first === undefined) return [];
  if (runs.length > 1 && runs.length <= MAX_RUNS && runs.every((run) => isMeaningfulAscii(run.text)))
    return runs;
  // A message may be split into single letters, so it is also read as a whole.
  const whole = runs.map((run) => run.text).join("");
  const count = runs.reduce((sum, run) => sum + run.count, 0);
  return [{ ...first, count, text: isMeaningfulAscii(whole) ? whole : "" }];
}

const MAX_RUNS = 100;

const SELECTOR = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
const SELECTORS = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu;
// These legitimately take one selector: emoji, symbols, keycaps, ideographs, Mongolian, Phags-pa, Myanmar, maths.
const SELECTOR_BASE =
  /[\p{Extended_Pictographic}\p{Emoji}\p{Script=Han}\p{Script=Mongolian}\p{Script=Phags_Pa}\p{Script=Myanmar}\p{S}\p{P}\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\u20e3]$/u;

function findSelectors(text: string): HiddenCharacters[] {
  const bytes: number[] = [];
  let offset = -1;
  for (const match of text.matchAll(SELECTORS)) {
    const points = [...match[0]].map((character) => character.codePointAt(0) ?? 0);
    const before = text.slice(Math.max(0, match.index - 2), match.index);
    if (points.length === 1 && isLawful(points[0] ?? 0, before)) continue;
    // VS16 after VS16 comes from careless editors, not from a message.
    if (points.every((point) => point === 0xfe0f) && points.length <= 3) continue;
    if (offset === -1) offset = match.index;
    for (const point of points) bytes.push(point >= 0xe0100 ? point - 0xe0100 + 16 : point - 0xfe00);
    if (bytes.length > MAX_SELECTOR_BYTES) break;
  }
  if (bytes.length < 2) return [];
  return [{ how: "variation-selectors", offset, count: bytes.length, text: readSelectorBytes(bytes) }];
}

const MAX_SELECTOR_BYTES = 262_144;

// Selectors from U+E0100 on choose between forms of an ideograph and nothing else.
function isLawful(point: number, before: string): boolean {
  if (before === "") return true;
  return point >= 0xe0100 ? /\p{Script=Han}$/u.test(before) : SELECTOR_BASE.test(before);
}

function readSelectorBytes(bytes: readonly number[]): string {
  const plain = String.fromCharCode(...bytes.slice(0, 16_384));
  // An emoji's own VS16 precedes the message.
  const rest = plain.startsWith("\u000f") ? plain.slice(1) : plain;
  return isMeaningfulAscii(rest) ? rest : (decodeZeroWidth(plain) ?? "");
}

const ZERO_WIDTH = /[\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufeff\u3164\uffa0\u00ad]/;
const ZERO_WIDTH_RUNS = /[\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufeff\u3164\uffa0\u00ad]+/g;
const MIN_RUN = 8;
const MIN_SCATTERED = 32;
const JOINING =
  /(?:\ufe0f|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Khmer}\p{Script=Malayalam}\p{Script=Mongolian}\p{Script=Myanmar}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Syriac}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Thai}\p{Script=Lao}\p{Script=Tibetan}])$/u;

function findZeroWidth(text: string): HiddenCharacters[] {
  const found: HiddenCharacters[] = [];
  let scattered = "";
  let scatteredAt = -1;
  for (const match of text.matchAll(ZERO_WIDTH_RUNS)) {
    const run = match[0];
    if (run.length >= MIN_RUN) {
      const message = decodeZeroWidth(run) ?? "";
      // One meaningless run represents all others; runs with a message are each shown, up to a limit.
      if (message === "" ? !found.some(({ text }) => text === "") : found.length < MAX_RUNS)
        found.push({ how: "zero-width", offset: match.index, count: run.length, text: message });
      continue;
    }
    if (match.index === 0 && run === "\ufeff") continue;
    if (run === "\u00ad" || JOINING.test(text.slice(Math.max(0, match.index - 2), match.index))) continue;
    if (scatteredAt === -1) scatteredAt = match.index;
    if (scattered.length < MAX_SELECTOR_BYTES) scattered += run;
  }
  if (scattered.length < MIN_SCATTERED) return found;
  const message = decodeZeroWidth(scattered);
  if (message !== undefined)
    found.push({ how: "zero-width", offset: scatteredAt, count: scattered.length, text: message });
  return found;
}

/** Reads two invisible characters as bits, seven, eight or sixteen per letter. Undefined if no reading gives ASCII text. */
function decodeZeroWidth(run: string): string | undefined {
  const symbols = [...new Set(run)];
  if (run.length > MAX_RUN_CHARACTERS || symbols.length !== 2) return undefined;
  for (const one of symbols) {
    const text = textOfBits(Array.from(run, (symbol) => (symbol === one ? "1" : "0")).join(""));
    if (text !== undefined) return text;
  }
  return undefined;
}

function isMeaningfulAscii(text: string): boolean {
  return text.length >= 2 && /^[\t\n\r -~]+$/.test(text) && /[A-Za-z]{2}/.test(text);
}

// Longer runs cost more than they reveal; they are reported undecoded.
const MAX_RUN_CHARACTERS = 262_144;

function textOfBits(bits: string): string | undefined {
  for (const width of [8, 7, 16]) {
    let text = "";
    for (let index = 0; index + width <= bits.length; index += width)
      text += String.fromCharCode(Number.parseInt(bits.slice(index, index + width), 2));
    if (isMeaningfulAscii(text)) return text;
  }
  return undefined;
}
