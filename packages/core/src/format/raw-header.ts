import { parseJson } from "@skillet/kit/json";
import { MAX_HEADER_DEPTH } from "./format-limits.ts";

export type RawValue = string | number | boolean | null | RawList | RawMap;

type RawList = readonly RawValue[];

/** A map of a header; its prototype holds nothing, so that no key can reach one. */
export interface RawMap {
  readonly [key: string]: RawValue;
}

/** A header as it was written; top-level keys are in order. */
export interface RawHeader {
  readonly values: ReadonlyMap<string, RawValue>;
  readonly notes: readonly HeaderNote[];
}

/** Something in a header that deserves a diagnostic; lines and columns count from 1 inside the header. */
export interface HeaderNote {
  readonly code: HeaderNoteCode;
  readonly line: number;
  readonly column: number;
}

/** Each is also the code of a diagnostic. */
export type HeaderNoteCode =
  | "unquoted-colon"
  | "unquoted-value"
  | "tab-indentation"
  | "unclosed-bracket"
  | "flow-style"
  | "duplicate-key"
  | "line-ignored";

// A constructor with an empty prototype instead of Object.create(null): the latter makes dictionary objects,
// whose stores are ten times slower with keys cut out of a larger string.
class EmptyMap {}
Object.setPrototypeOf(EmptyMap.prototype, null);
Reflect.deleteProperty(EmptyMap.prototype, "constructor");
Object.freeze(EmptyMap.prototype);

/** A map to fill; reading a key that was not set always gives undefined. */
export function createRawMap(): Record<string, RawValue> {
  return new EmptyMap() as Record<string, RawValue>;
}

export function isRawMap(value: RawValue | undefined): value is RawMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// No number that writes back as its own source is longer.
const MAX_NUMBER_CHARACTERS = 24;

/**
 * The meaning of an unquoted scalar in YAML 1.2, except that a number stays text unless it writes back as it stood,
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

export function parseJsonMap(text: string): RawMap | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const value = rawValueOf(parseJson(text));
  return isRawMap(value) ? value : undefined;
}

/** Copies what JSON held into maps that no key can reach out of; what is too deep becomes null. */
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
