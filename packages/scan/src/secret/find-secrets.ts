import { wordSet } from "../word-list.ts";
import { entropyOf, isPlaceholderSecret, SECRET_FORMATS, type SecretFormat } from "./secret-formats.ts";

interface FoundSecret {
  readonly start: number;
  readonly end: number;
  /** Such as `github`, `aws`; `generic` if only the name beside it identifies it as a secret. */
  readonly provider: string;
  /** Whether it is an example without effect: `AKIAIOSFODNN7EXAMPLE`, `ghp_xxxx`. */
  readonly isPlaceholder: boolean;
  /** A whole private key, which is worth stealing whoever its vendor is. */
  readonly isPrivateKey: boolean;
}

/**
 * Finds literal secrets in a text, in order and without overlaps. Linear in its length.
 *
 * @example
 * for (const { start, end } of findSecrets(line)) redact(start, end);
 */
export function findSecrets(text: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [...findPrivateKeys(text), ...findSeedPhrases(text)];
  findFormatted(text, found);
  findAssigned(text, found);
  return withoutOverlaps(found);
}

// One pass for all formats: nearly every text has no secrets.
function findFormatted(text: string, found: FoundSecret[]): void {
  ANY_PREFIX.lastIndex = 0;
  for (let match = ANY_PREFIX.exec(text); match !== null; match = ANY_PREFIX.exec(text)) {
    const at = match.index;
    const secret = FORMATS_BY_PREFIX.get(match[0])
      ?.map((format) => readFormat(text, at, format))
      .find((one) => one !== undefined);
    if (secret !== undefined) found.push(secret);
    ANY_PREFIX.lastIndex = secret?.end ?? at + 1;
  }
}

const PREFIXES: readonly string[] = [...new Set(SECRET_FORMATS.map(({ prefix }) => prefix))].sort(
  (left, right) => right.length - left.length,
);
const ANY_PREFIX = new RegExp(
  PREFIXES.map((prefix) => prefix.replaceAll(/[^\w-]/g, String.raw`\$&`)).join("|"),
  "g",
);
/** By the longest prefix that matches, such as `sk-ant-`: its formats and those of its own prefixes, such as `sk-`. */
const FORMATS_BY_PREFIX: ReadonlyMap<string, readonly SecretFormat[]> = new Map(
  PREFIXES.map((longest) => [longest, SECRET_FORMATS.filter(({ prefix }) => longest.startsWith(prefix))]),
);

function readFormat(text: string, at: number, format: SecretFormat): FoundSecret | undefined {
  format.pattern.lastIndex = at;
  const value = format.pattern.exec(text)?.[0];
  if (value === undefined) return undefined;
  const isValid = format.isValid?.(value);
  return {
    start: at,
    end: at + value.length,
    provider: format.provider,
    isPlaceholder:
      isValid !== true && (format.isPublic?.(value) === true || isPlaceholderSecret(value, format.prefix)),
    isPrivateKey: false,
  };
}

/** Signs first, names last: a sign before a long run is rare, the words `key` and `token` are everywhere. */
function findAssigned(text: string, found: FoundSecret[]): void {
  ASSIGNED.lastIndex = 0;
  for (let match = ASSIGNED.exec(text); match !== null; match = ASSIGNED.exec(text)) {
    const value = match[1] ?? "";
    const end = match.index + match[0].length;
    const start = end - value.length;
    const before = text.slice(Math.max(0, match.index - MAX_NAME_CHARACTERS), match.index);
    const name = isLikelySecretValue(value) ? SECRET_NAME.exec(before)?.[1] : undefined;
    if (name === undefined) {
      // A run such as `//host/path/token=…` contains a sign of its own.
      if (value.includes("=")) ASSIGNED.lastIndex = start + value.indexOf("=");
      continue;
    }
    // `token = createTokenFor2024(…)` and `tokens[…]` are code.
    if (/[([]/.test(text.charAt(end))) continue;
    const isPlaceholder = isPlaceholderSecret(value, "");
    const isKey = /private_?-?key/i.test(name) && /^(?:0x)?[0-9a-f]{64}$/i.test(value);
    found.push({ start, end, provider: "generic", isPlaceholder, isPrivateKey: isKey && !isPlaceholder });
  }
}

const ASSIGNED = /[:=](?:(?<=:)=|(?<==)>)?[ \t]{0,8}(?:Bearer[ \t])?["'`]?([A-Za-z0-9+/_=.-]{16,257})/g;
const MAX_NAME_CHARACTERS = 60;
const SECRET_NAME =
  /(api[_-]?key|apikey|secret|token|passwd|password|access[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?key|credential|bearer)[A-Za-z0-9_-]{0,24}["'`]?[ \t]{0,8}$/i;

// The earliest start wins, then the longest: a key inside a private key is part of it.
function withoutOverlaps(found: FoundSecret[]): readonly FoundSecret[] {
  found.sort((left, right) => left.start - right.start || right.end - left.end);
  const kept: FoundSecret[] = [];
  let end = -1;
  for (const secret of found) {
    if (secret.start < end) continue;
    kept.push(secret);
    end = secret.end;
  }
  return kept;
}

function findPrivateKeys(text: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  let next = text.indexOf(OPENING);
  while (next !== -1) {
    const at = next;
    next = text.indexOf(OPENING, at + OPENING.length);
    HEADER.lastIndex = at;
    const header = HEADER.exec(text)?.[0];
    if (header === undefined) continue;
    const bodyStart = at + header.length;
    // Never past the next one, so that many openings with a single end cost no more than their length.
    const limit = Math.min(next === -1 ? text.length : next, bodyStart + MAX_KEY_CHARACTERS);
    const rest = text.slice(bodyStart, limit);
    const closing = rest.indexOf("-----END");
    const isWhole = closing !== -1 && isKeyBody(rest.slice(0, closing));
    found.push({
      start: at,
      end: isWhole ? bodyStart + closing : bodyStart,
      provider: "private-key",
      isPlaceholder: !isWhole,
      isPrivateKey: isWhole,
    });
  }
  return found;
}

const OPENING = "-----BEGIN ";
const HEADER = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/y;
const MAX_KEY_CHARACTERS = 20_000;

// Also as one string with `\n` in it, as in service-account files.
function isKeyBody(body: string): boolean {
  const plain = body
    .replace(/\\[nr]|["'+,\s]/g, "")
    .replace(/^(?:Proc-Type|DEK-Info|Version|Comment):\S*/, "");
  if (plain.length < 48 || /[^A-Za-z0-9+/=:-]/.test(plain) || /\.\.\.|(.)\1{7}/.test(plain)) return false;
  return entropyOf(plain) >= 4;
}

/** Finds mnemonic phrases of wallets: 12 to 24 short words after a name that says so. */
function findSeedPhrases(text: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  SEED_PHRASE.lastIndex = 0;
  for (let match = SEED_PHRASE.exec(text); match !== null; match = SEED_PHRASE.exec(text)) {
    const phrase = match[1] ?? "";
    const words = phrase.split(" ");
    if (words.length % 3 !== 0 || words.some((word) => NOT_IN_THE_LIST.has(word))) continue;
    const end = match.index + match[0].length;
    found.push({
      start: end - phrase.length,
      end,
      provider: "seed-phrase",
      isPlaceholder: new Set(words).size < words.length - 2 || /\b(?:word|example|one two)\b/.test(phrase),
      isPrivateKey: false,
    });
  }
  return found;
}

const SEED_PHRASE =
  /(?:mnemonic|seed[ _-]?phrase|recovery[ _-]?phrase|seed[ _-]?words)["'`]?[ \t]{0,8}[:=][ \t]{0,8}["'`]?([a-z]{3,8}(?: [a-z]{3,8}){11,23})(?![ ]?[A-Za-z])/gi;
/** Words of plain sentences that are not in the BIP-39 list. */
const NOT_IN_THE_LIST: ReadonlySet<string> = wordSet(`
  the and your not from with for are was has its our their them then than who whom which share user users
  private keys phrase words wallet
`);

/** Whether a value after such a name is random enough for a secret, and not an identifier, path or version. */
function isLikelySecretValue(value: string): boolean {
  if (value.length > MAX_VALUE_CHARACTERS) return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  if (digits < 3 || !/[A-Za-z]/.test(value)) return false;
  if (value.includes(".") && !/^[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/.test(value)) return false;
  if (/^[\d.]+[a-z]?$/i.test(value) || /^\d{4}-\d{2}-\d{2}/.test(value) || UUID.test(value)) return false;
  if (value.split("/").length > 3 || WORDS.test(value) || PUBLIC_ADDRESS.test(value)) return false;
  return entropyOf(value) >= (value.length >= 24 ? 3.3 : 3.5);
}

// The pattern takes one more, which detects longer runs without a look-ahead that would backtrack.
const MAX_VALUE_CHARACTERS = 256;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** In crypto trading, a `token` is a contract, which is public. */
const PUBLIC_ADDRESS = /^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{43,44})$/;
/** Words joined by dashes or underscores, such as `claude-sonnet-4-20250514`. */
const WORDS = /^[A-Za-z]{2,20}(?:[-_.](?:[A-Za-z]{1,20}\d{0,3}|\d{1,8}))+$/;
