import { entropyOf } from "./entropy-of.ts";

/** What stands beside a name that says secret: the name, and the value with its place. */
export interface AssignedValue {
  readonly name: string;
  readonly value: string;
  readonly end: number;
}

/**
 * Finds values behind a colon or an equals sign whose name says that they are secret and that look like it.
 *
 * Signs first, names last: a sign with a long run behind it is rare, the words `key` and `token` are everywhere.
 */
export function findAssignedValues(text: string): readonly AssignedValue[] {
  const found: AssignedValue[] = [];
  ASSIGNED.lastIndex = 0;
  for (let match = ASSIGNED.exec(text); match !== null; match = ASSIGNED.exec(text)) {
    const value = match[1] ?? "";
    const end = match.index + match[0].length;
    const name = isLikelySecretValue(value) ? nameBefore(text, match.index) : undefined;
    if (name !== undefined) found.push({ name, value, end });
    // A run such as `//host/path/token=…` holds a sign of its own.
    else if (value.includes("=")) ASSIGNED.lastIndex = end - value.length + value.indexOf("=");
  }
  return found;
}

const ASSIGNED = /[:=](?:(?<=:)=|(?<==)>)?[ \t]{0,8}(?:Bearer[ \t])?["'`]?([A-Za-z0-9+/_=.-]{16,257})/g;

function nameBefore(text: string, at: number): string | undefined {
  return SECRET_NAME.exec(text.slice(Math.max(0, at - MAX_NAME_CHARACTERS), at))?.[1];
}

const MAX_NAME_CHARACTERS = 60;
const SECRET_NAME =
  /(api[_-]?key|apikey|secret|token|passwd|password|access[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?key|credential|bearer)[A-Za-z0-9_-]{0,24}["'`]?[ \t]{0,8}$/i;

/** Whether a value beside such a name is random enough to be one, and no identifier, path or version. */
function isLikelySecretValue(value: string): boolean {
  if (value.length > MAX_VALUE_CHARACTERS) return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  if (digits < 3 || !/[A-Za-z]/.test(value)) return false;
  if (value.includes(".") && !/^[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/.test(value)) return false;
  if (/^[\d.]+[a-z]?$/i.test(value) || /^\d{4}-\d{2}-\d{2}/.test(value) || UUID.test(value)) return false;
  if (value.split("/").length > 3 || WORDS.test(value) || PUBLIC_ADDRESS.test(value)) return false;
  return entropyOf(value) >= (value.length >= 24 ? 3.3 : 3.5);
}

// The pattern takes one more, which tells longer runs without a look-ahead that would go back over them.
const MAX_VALUE_CHARACTERS = 256;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** What `token` means where coins are traded: a contract, which everybody may know. */
const PUBLIC_ADDRESS = /^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{43,44})$/;
/** Words joined by dashes or underscores, such as `claude-sonnet-4-20250514`. */
const WORDS = /^[A-Za-z]{2,20}(?:[-_.](?:[A-Za-z]{1,20}\d{0,3}|\d{1,8}))+$/;
