import type { RawValue } from "./raw-header.ts";

// No number that writes back as its own source is longer.
const MAX_NUMBER_CHARACTERS = 24;

/**
 * What an unquoted scalar means in YAML 1.2, except that a number stays text unless it writes back as it stood,
 * so that a version such as `1.10` is not cut to 1.1.
 */
export function resolvePlainScalar(text: string): RawValue {
  if (text.length <= 5) {
    switch (text) {
      case "":
      case "~":
      case "null":
      case "Null":
      case "NULL":
        return null;
      case "true":
      case "True":
      case "TRUE":
        return true;
      case "false":
      case "False":
      case "FALSE":
        return false;
    }
  }
  return text.length <= MAX_NUMBER_CHARACTERS && startsLikeNumber(text) ? exactNumber(text) : text;
}

function startsLikeNumber(text: string): boolean {
  const first = text.charCodeAt(0);
  return isDigit(first) || (first === 0x2d && isDigit(text.charCodeAt(1)));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function exactNumber(text: string): RawValue {
  const number = Number(text);
  return String(number) === text ? number : text;
}
