import { findAssignedValues } from "./assigned-secret.ts";
import { findPrivateKeys } from "./find-private-keys.ts";
import { findSeedPhrases } from "./find-seed-phrases.ts";
import { isPlaceholderSecret } from "./is-placeholder-secret.ts";
import { SECRET_FORMATS, type SecretFormat } from "./secret-formats.ts";

/** A literal secret, or what stands in for one, in a text; offsets are of the value alone. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  /** Such as `github`, `aws`; `generic` where only the name beside it tells. */
  readonly provider: string;
  /** Whether it is an example that opens nothing: `AKIAIOSFODNN7EXAMPLE`, `ghp_xxxx`. */
  readonly isPlaceholder: boolean;
  /** A whole private key, which needs no vendor to be worth stealing. */
  readonly isPrivateKey: boolean;
}

/**
 * Finds literal secrets in a text, in the order of their places and without overlaps. Linear in its length.
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

// One pass for all of them: nearly every text has none.
function findFormatted(text: string, found: FoundSecret[]): void {
  ANY_PREFIX.lastIndex = 0;
  for (let match = ANY_PREFIX.exec(text); match !== null; match = ANY_PREFIX.exec(text)) {
    const at = match.index;
    const secret = FORMATS_BY_PREFIX.get(match[0])
      ?.map((format) => readFormat(text, at, format))
      .find(isFound);
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
/** By the longest prefix that stands in a text, as `sk-ant-`: the formats of it and of its beginnings, such as `sk-`. */
const FORMATS_BY_PREFIX: ReadonlyMap<string, readonly SecretFormat[]> = new Map(
  PREFIXES.map((longest) => [longest, SECRET_FORMATS.filter(({ prefix }) => longest.startsWith(prefix))]),
);

function isFound(secret: FoundSecret | undefined): secret is FoundSecret {
  return secret !== undefined;
}

function readFormat(text: string, at: number, format: SecretFormat): FoundSecret | undefined {
  if (at > 0 && format.startsWord && isWordCharacter(text.charCodeAt(at - 1))) return undefined;
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

function findAssigned(text: string, found: FoundSecret[]): void {
  for (const { name, value, end } of findAssignedValues(text)) {
    if (isCalled(text.charAt(end))) continue;
    const isPlaceholder = isPlaceholderSecret(value, "");
    found.push({
      start: end - value.length,
      end,
      provider: "generic",
      isPlaceholder,
      isPrivateKey: !isPlaceholder && isRawPrivateKey(name, value),
    });
  }
}

// `token = createTokenFor2024(…)` and `tokens[…]` are code.
function isCalled(next: string): boolean {
  return next === "(" || next === "[";
}

function isRawPrivateKey(name: string, value: string): boolean {
  return /private_?-?key/i.test(name) && /^(?:0x)?[0-9a-f]{64}$/i.test(value);
}

// The first to begin wins, at the same place the longer one: a key inside a private key is part of it.
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

function isWordCharacter(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 45
  );
}
