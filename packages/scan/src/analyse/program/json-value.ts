import { parseJson } from "@skillet/kit/json";
import { listValue, MAX_FOLDED_CHARACTERS, textValue, UNKNOWN, type Value } from "./value.ts";

const MAX_NODES = 2_000;

/** What a JSON text stands for, as a program that parses it would hold it; undefined where it is none or too long. */
export function jsonValue(text: string): Value | undefined {
  if (text.length > MAX_FOLDED_CHARACTERS) return undefined;
  const parsed = parseJson(text);
  return parsed === undefined ? undefined : held(parsed, { nodes: MAX_NODES }, 0);
}

function held(data: unknown, left: { nodes: number }, depth: number): Value {
  // Depth as well as number: the text may be nothing but brackets.
  if (left.nodes-- <= 0 || depth > 32) return UNKNOWN;
  if (typeof data === "string") return textValue(data);
  if (typeof data === "number") return { number: data, taints: [] };
  if (Array.isArray(data)) return listValue(data.map((item: unknown) => held(item, left, depth + 1)));
  if (typeof data !== "object" || data === null) return UNKNOWN;
  const fields = new Map<string, Value>();
  for (const [key, value] of Object.entries(data)) fields.set(key, held(value, left, depth + 1));
  return { box: { fields, taints: [] }, taints: [] };
}
