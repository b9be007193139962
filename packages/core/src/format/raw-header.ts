/** A value of a header before any key is interpreted. */
export type RawValue = string | number | boolean | null | RawList | RawMap;

/** A list of a header. */
type RawList = readonly RawValue[];

/** A map of a header; its prototype holds nothing, so that no key can reach one. */
export interface RawMap {
  readonly [key: string]: RawValue;
}

/** A header as it was written: top-level keys in order, each with its value at the same index. */
export interface RawHeader {
  readonly keys: readonly string[];
  readonly values: readonly RawValue[];
  /** What was unusual, with positions inside the header. */
  readonly notes: readonly HeaderNote[];
}

/** Something in a header that deserves a diagnostic; lines and columns count from 1 inside the header. */
export interface HeaderNote {
  readonly code: HeaderNoteCode;
  readonly line: number;
  readonly column: number;
  /** The key or text it is about. */
  readonly subject?: string;
}

/** What a note can be about; each is also the code of a diagnostic. */
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

/** Whether a value is a map. */
export function isRawMap(value: RawValue | undefined): value is RawMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
