import type { FaultList } from "./fault-list.ts";
import { EMPTY_LIST } from "./manifest-draft.ts";
import { isRawMap, type RawMap, type RawValue } from "./raw-header.ts";

/** The text of a scalar without white space around it; undefined if it is empty or no scalar. */
export function toText(value: RawValue | undefined): string | undefined {
  if (value === null || value === undefined || typeof value === "object") return undefined;
  const text = typeof value === "string" ? value.trim() : String(value);
  return text === "" ? undefined : text;
}

/** A text, with a warning where a list or a map stands instead; a list of scalars is joined. */
export function readText(value: RawValue | undefined, faults: FaultList, path: string): string | undefined {
  if (typeof value !== "object" || value === null) return toText(value);
  const joined = Array.isArray(value) ? toText(value.map((item) => toText(item) ?? "").join(" ")) : undefined;
  if (joined === undefined) reportType(faults, path, "text");
  return joined;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["on", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["off", false],
  ["0", false],
]);

/** A boolean in any of its spellings; others are undefined and a warning. */
export function readBoolean(
  value: RawValue | undefined,
  faults: FaultList,
  path: string,
): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === null || value === undefined) return undefined;
  const boolean = BOOLEANS.get(toText(value)?.toLowerCase() ?? "");
  if (boolean === undefined) reportType(faults, path, "true or false");
  else {
    faults.addAtKey(
      {
        code: "boolean-spelling",
        severity: "info",
        message: `The value of ${path} is text that stands for ${boolean}.`,
        hint: `Write ${boolean} without quotes.`,
      },
      path,
    );
  }
  return boolean;
}

/** A list of texts, from a list or from a text that is split at spaces and commas outside brackets. */
export function readList(value: RawValue | undefined, faults: FaultList, path: string): readonly string[] {
  return readTexts(value, faults, path, splitList);
}

/** A list of phrases, from a list or from a text that is split at commas only. */
export function readPhrases(value: RawValue | undefined, faults: FaultList, path: string): readonly string[] {
  return readTexts(value, faults, path, (text) => splitList(text, "commas"));
}

function readTexts(
  value: RawValue | undefined,
  faults: FaultList,
  path: string,
  split: (text: string) => readonly string[],
): readonly string[] {
  if (value === null || value === undefined) return EMPTY_LIST;
  if (!Array.isArray(value)) {
    if (typeof value !== "object") return split(String(value));
    reportType(faults, path, "a list");
    return EMPTY_LIST;
  }
  // Nearly every list is one of plain texts, and can be kept as it is.
  return value.every(isPlainText) ? (value as readonly string[]) : cleanTexts(value, faults, path);
}

function isPlainText(item: RawValue): boolean {
  return (
    typeof item === "string" &&
    item !== "" &&
    item.charCodeAt(0) > 0x20 &&
    item.charCodeAt(item.length - 1) > 0x20
  );
}

function cleanTexts(list: readonly RawValue[], faults: FaultList, path: string): readonly string[] {
  const texts: string[] = [];
  if (list.some((item) => typeof item === "object" && item !== null))
    reportType(faults, path, "a list of texts");
  for (const item of list) {
    const text = toText(item);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

export function readMap(value: RawValue | undefined, faults: FaultList, path: string): RawMap | undefined {
  if (isRawMap(value)) return value;
  if (value !== null && value !== undefined) reportType(faults, path, "a map");
  return undefined;
}

export function pick(map: RawMap, ...keys: readonly string[]): RawValue | undefined {
  for (const key of keys) {
    const value = map[key];
    if (value !== undefined) return value;
  }
  return undefined;
}

export function reportType(faults: FaultList, path: string, expected: string): void {
  faults.addAtKey(
    {
      code: "invalid-value",
      severity: "warning",
      message: `The value of ${path} is not ${expected}, and is left out.`,
      hint: `Write ${expected} there, or remove the key.`,
    },
    path,
  );
}

/**
 * Splits a text at spaces and commas, or at commas only, outside brackets of any kind.
 *
 * @example
 * splitList("Bash(git add:*), Read"); // ["Bash(git add:*)", "Read"]
 */
export function splitList(
  text: string,
  at: "spaces-and-commas" | "commas" = "spaces-and-commas",
): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const character = text[index] ?? ",";
    if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character)) depth = Math.max(0, depth - 1);
    const splits = character === "," || (at === "spaces-and-commas" && character.trim() === "");
    if (!splits || (depth > 0 && index < text.length)) continue;
    const part = text.slice(start, index).trim();
    if (part !== "") parts.push(part);
    start = index + 1;
  }
  return parts;
}

const OPENING: ReadonlySet<string> = new Set("([{");
const CLOSING: ReadonlySet<string> = new Set(")]}");
