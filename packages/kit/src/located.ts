import type { Range } from "./diagnostics.ts";

/** A value of a config file, the environment or a flag, with its place where it has one. */
export type Located =
  | { readonly kind: "map"; readonly entries: readonly LocatedEntry[]; readonly range?: Range }
  | { readonly kind: "list"; readonly items: readonly Located[]; readonly range?: Range }
  | { readonly kind: "scalar"; readonly value: string | number | boolean | null; readonly range?: Range };

/** A key of a map and its value. */
export interface LocatedEntry {
  readonly key: string;
  readonly keyRange?: Range;
  readonly value: Located;
}

/** Brings a plain value, such as flags, into the form that config text has; undefined keys are left out. */
export function locatePlain(value: unknown): Located {
  if (Array.isArray(value)) return { kind: "list", items: value.map(locatePlain) };
  if (typeof value === "object" && value !== null) {
    const present = Object.entries(value).filter(([, item]) => item !== undefined);
    return { kind: "map", entries: present.map(([key, item]) => ({ key, value: locatePlain(item) })) };
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return { kind: "scalar", value };
  return { kind: "scalar", value: null };
}

/** The value without its places. */
export function plainValue(node: Located): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  const values: Record<string, unknown> = Object.create(null);
  for (const { key, value } of node.entries) values[key] = plainValue(value);
  return values;
}
