import { parseJson } from "@skillet/kit/json";
import { MAX_HEADER_DEPTH } from "./format-limits.ts";
import { createRawMap, isRawMap, type RawMap, type RawValue } from "./raw-header.ts";

/** The map that a text holds as JSON, or undefined. */
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
