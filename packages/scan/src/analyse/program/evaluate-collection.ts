import { itemOf, itemsOf, MAX_JOINED_LIST } from "./items-of.ts";
import type { Expression } from "./program-tree.ts";
import { knownText, type Taint, taintsOf, taintsOfAll, unionTaints, type Value } from "./value.ts";

type Evaluate = (expression: Expression) => Value;

/** A list as it is written down, with others spread into it. */
export function evaluateList(parts: readonly Expression[], evaluate: Evaluate): Value {
  const items: Value[] = [];
  let isLoose = false;
  for (const part of parts) {
    const value = evaluate(part);
    const spread = part.kind === "spread" ? itemsOf(value) : [value];
    if (spread === undefined) {
      isLoose = true;
      items.push(itemOf(value));
    } else if (part.kind === "spread" && items.length + spread.length > MAX_JOINED_LIST) isLoose = true;
    else for (const item of spread) items.push(item);
  }
  return { box: { items, taints: taintsOfAll(items), ...(isLoose ? { isLoose } : {}) }, taints: [] };
}

/** A dictionary or an object as it is written down. */
export function evaluateDictionary(
  expression: Extract<Expression, { readonly kind: "dictionary" }>,
  evaluate: Evaluate,
): Value {
  const fields = new Map<string, Value>();
  let taints: readonly Taint[] = [];
  for (const entry of expression.entries) {
    const key = entry.key === undefined ? undefined : evaluate(entry.key);
    const value = evaluate(entry.value);
    taints = unionTaints(taints, taintsOf(value));
    if (key === undefined) {
      for (const [name, field] of value.box?.fields ?? []) fields.set(name, field);
      continue;
    }
    const name = knownText(key) ?? (key.number === undefined ? undefined : String(key.number));
    if (name !== undefined) fields.set(name, value);
    taints = unionTaints(taints, taintsOf(key));
  }
  return { box: { fields, taints }, taints: [] };
}
