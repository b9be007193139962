import type { Call } from "./call.ts";
import { itemsOf, MAX_ITEMS } from "./items-of.ts";
import { knownText, taintsOfAll, UNKNOWN, type Value } from "./value.ts";

/** `str.maketrans(from, to)`: which character stands for which. */
export function makeTable({ positional: [from, to] }: Call): Value | undefined {
  if (from?.box?.fields !== undefined) return from;
  const [letters, others] = [knownText(from ?? UNKNOWN), knownText(to ?? UNKNOWN)];
  if (letters === undefined || others === undefined || letters.length > MAX_ITEMS) return undefined;
  const fields = new Map<string, Value>();
  for (let index = 0; index < letters.length; index++)
    fields.set(letters[index] ?? "", { text: others[index] ?? "", taints: [] });
  return { box: { fields, taints: [] }, taints: [] };
}

/** A dictionary made of pairs; any other is what it was given. */
export function dictionaryOf({ positional: [first], keywords }: Call): Value | undefined {
  const pairs = first === undefined ? undefined : itemsOf(first);
  if (pairs === undefined || keywords.size > 0 || first?.text !== undefined) return undefined;
  const fields = new Map<string, Value>();
  for (const pair of pairs) {
    const [key, value] = pair.box?.items ?? [];
    const name = key === undefined ? undefined : (knownText(key) ?? key.number?.toString());
    if (name === undefined || value === undefined) return undefined;
    fields.set(name, value);
  }
  return { box: { fields, taints: taintsOfAll(pairs) }, taints: [] };
}
