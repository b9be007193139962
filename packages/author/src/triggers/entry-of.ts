import type { Located, LocatedEntry } from "@skillet/kit/located";

/** The first of these keys that a map has; of a key that is there twice the last, as `JSON.parse` has it. */
export function entryOf(node: Located, keys: readonly string[]): LocatedEntry | undefined {
  if (node.kind !== "map") return undefined;
  for (const key of keys) {
    const entry = node.entries.findLast((one) => one.key === key);
    if (entry !== undefined) return entry;
  }
  return undefined;
}
