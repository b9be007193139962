import { parseJson } from "@skillet/kit/json";
import { MAX_HEADER_DEPTH } from "./format-limits.ts";

export type RawValue = string | number | boolean | null | RawList | RawMap;

type RawList = readonly RawValue[];

/** A map of a header; its prototype is empty, so that no key can reach a property of it. */
export interface RawMap {
  readonly [key: string]: RawValue;
}

/** A header as written; top-level keys keep their order. */
export interface RawHeader {
  readonly values: ReadonlyMap<string, RawValue>;
  readonly notes: readonly HeaderNote[];
}

/** A finding in a header that deserves a diagnostic; lines and columns count from 1 within the header. */
export interface HeaderNote {
  readonly code: HeaderNoteCode;
  readonly line: number;
  readonly column: number;
}

/** Each is also a diagnostic code. */
export type HeaderNoteCode =
  | "unquoted-colon"
  | "unquoted-value"
  | "tab-indentation"
  | "unclosed-bracket"
  | "flow-style"
  | "duplicate-key"
  | "line-ignored";

// A constructor with an empty prototype, because Object.create(null) makes dictionary objects, which are ten
// times slower to fill with keys that are slices of a larger string.
class EmptyMap {}
Object.setPrototypeOf(EmptyMap.prototype, null);
Reflect.deleteProperty(EmptyMap.prototype, "constructor");
Object.freeze(EmptyMap.prototype);

/** An empty map to fill; reading a missing key always gives undefined. */
export function createRawMap(): Record<string, RawValue> {
  return new EmptyMap() as Record<string, RawValue>;
}

export function isRawMap(value: RawValue | undefined): value is RawMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// No number that prints as its own source is longer.
const MAX_NUMBER_CHARACTERS = 24;

/**
 * The meaning of an unquoted scalar in YAML 1.2, except that a number remains text unless it prints exactly
 * as written, so that a version such as `1.10` does not become 1.1.
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

export function parseJsonMap(text: string): RawMap | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const value = rawValueOf(parseJson(text));
  return isRawMap(value) ? value : undefined;
}

/** Copies JSON values into maps with an empty prototype; too deep values become null. */
export function rawValueOf(value: unknown): RawValue {
  return copyValue(value, 1);
}

function copyValue(value: unknown, depth: number): RawValue {
  if (typeof value !== "object" || value === null) return value as RawValue;
  if (depth > MAX_HEADER_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => copyValue(item, depth + 1));
  const map = createRawMap();
  for (const [key, item] of Object.entries(value)) map[key] = copyValue(item, depth + 1);
  return map;
}
