import type { Located } from "@skillet/kit/located";
import { cleanText } from "./clean-text.ts";

/**
 * What a part of a toolset file means as JSON, frozen.
 *
 * Titles and descriptions reach a model as text, so they are cleaned; all else stays as it was written, and `readSchema`
 * refuses what hides in it. Keys are the skill's own, so the maps have no prototype.
 */
export function plainJson(node: Located, key?: string): unknown {
  if (node.kind === "scalar")
    return typeof node.value === "string" && isProse(key) ? cleanText(node.value) : node.value;
  if (node.kind === "list") return Object.freeze(node.items.map((item) => plainJson(item)));
  const values: Record<string, unknown> = Object.create(null);
  for (const { key: name, value } of node.entries) values[name] = plainJson(value, name);
  return Object.freeze(values);
}

/** Whether a key holds text for people and models, which means the same when it is cleaned. */
export function isProse(key: string | undefined): boolean {
  return key === "description" || key === "title";
}
