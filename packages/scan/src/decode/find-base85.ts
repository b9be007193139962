import type { Blob } from "./blob.ts";

/**
 * Base85 in its three alphabets, in quotes, as a word of its own or between `<~` and `~>`; only where the text names a decoder,
 * since any quoted text fits the alphabet.
 */
export function* findBase85(text: string): Iterable<Blob> {
  if ((!text.includes("85") && !text.includes("<~")) || !DECODER.test(text)) return;
  for (const match of text.matchAll(QUOTED)) yield* decodings(match, match[2] ?? "");
  let words = 0;
  for (const match of text.matchAll(WORD)) {
    if (++words > MAX_WORDS) break;
    for (const body of new Set([match[0], match[0].replace(/^[`"']{1,3}|[`"'.,;]{1,3}$/g, "")]))
      yield* decodings(match, body);
  }
  for (const match of text.matchAll(ADOBE)) {
    const bytes = decode((match[1] ?? "").replace(/\s+/g, ""), ASCII85);
    if (bytes !== undefined)
      yield { offset: match.index, end: match.index + match[0].length, encoding: "ascii85", bytes };
  }
}

const DECODER = /[ab]85decode|base-?85|ascii-?85|z85|<~|\bbtoa\b.{0,40}85/i;
const QUOTED = /(["'`])([^"'`\s]{15,262144})\1/g;
// Marks of Markdown are letters of this alphabet, so a blob in prose is whatever no blank interrupts.
const WORD = /\S{30,65536}/g;
const MAX_WORDS = 2_000;
const ADOBE = /<~([!-u\sz]{10,262144})~>/g;
const ASCII85 = Array.from({ length: 85 }, (_, index) => String.fromCharCode(33 + index)).join("");
const ALPHABETS: readonly (readonly [string, string])[] = [
  ["base85", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"],
  ["ascii85", ASCII85],
  ["z85", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"],
];

const VALUES: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
  ALPHABETS.map(([, alphabet]) => [
    alphabet,
    new Map([...alphabet].map((character, index) => [character, index])),
  ]),
);
const NO_VALUES: ReadonlyMap<string, number> = new Map();

function* decodings(match: RegExpExecArray, body: string): Iterable<Blob> {
  for (const [encoding, alphabet] of ALPHABETS) {
    const bytes = decode(body, alphabet);
    if (bytes === undefined) continue;
    yield { offset: match.index, end: match.index + match[0].length, encoding, bytes };
  }
}

function decode(body: string, alphabet: string): Uint8Array | undefined {
  const values = VALUES.get(alphabet) ?? NO_VALUES;
  const bytes: number[] = [];
  let group: number[] = [];
  for (const character of body) {
    if (character === "z" && alphabet === ASCII85 && group.length === 0) {
      bytes.push(0, 0, 0, 0);
      continue;
    }
    const value = values.get(character);
    if (value === undefined) return undefined;
    group.push(value);
    if (group.length < 5) continue;
    bytes.push(...bytesOf(group));
    group = [];
  }
  if (group.length === 1) return undefined;
  if (group.length > 1)
    bytes.push(...bytesOf([...group, 84, 84, 84, 84].slice(0, 5)).slice(0, group.length - 1));
  return Uint8Array.from(bytes);
}

function bytesOf(group: readonly number[]): number[] {
  const number = group.reduce((sum, value) => sum * 85 + value, 0) % 2 ** 32;
  return [Math.floor(number / 2 ** 24) & 255, (number >>> 16) & 255, (number >>> 8) & 255, number & 255];
}
