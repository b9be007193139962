import type { Range } from "./diagnostics.ts";

export type Path = readonly (string | number)[];

export type Locator = (path: Path, part?: "key" | "value") => Range | undefined;

/** A value of a config file, the environment or a flag, with its position if it has one. */
export type Located =
  | { readonly kind: "map"; readonly entries: readonly LocatedEntry[]; readonly range?: Range }
  | { readonly kind: "list"; readonly items: readonly Located[]; readonly range?: Range }
  | { readonly kind: "scalar"; readonly value: string | number | boolean | null; readonly range?: Range };

export interface LocatedEntry {
  readonly key: string;
  readonly keyRange?: Range;
  readonly value: Located;
}

export function plainValue(node: Located): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  const values: Record<string, unknown> = Object.create(null);
  for (const { key, value } of node.entries) values[key] = plainValue(value);
  return values;
}

export function locatorOf(root: Located): Locator {
  const indexes = new Map<Located, ReadonlyMap<string, LocatedEntry>>();
  const entryOf = (node: Located, key: string): LocatedEntry | undefined => {
    if (node.kind !== "map") return undefined;
    // Indexed, because a file can contain thousands of entries, each of which may be asked for.
    const index = indexes.get(node) ?? new Map(node.entries.map((entry) => [entry.key, entry]));
    indexes.set(node, index);
    return index.get(key);
  };
  return (path, part = "value") => {
    let [node, range]: [Located, Range | undefined] = [root, root.range];
    for (const step of path) {
      const item = node.kind === "list" ? node.items[Number(step)] : undefined;
      const entry = entryOf(node, String(step));
      const next = item ?? entry?.value;
      if (next === undefined) return undefined;
      [node, range] = [next, part === "key" && entry !== undefined ? entry.keyRange : next.range];
    }
    return range;
  };
}
