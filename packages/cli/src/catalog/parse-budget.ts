import type { CatalogBudget } from "@skillet/core";

/** How `--budget` is written, for help and for messages. */
export const BUDGET_SYNTAX = "tokens such as 2000, characters such as 8000c, or unlimited";

/** Reads a budget as it is typed: `2000` tokens, `8000c` characters, or `unlimited`; undefined if it is none. */
export function parseBudget(text: string): CatalogBudget | undefined {
  if (text === "unlimited") return "unlimited";
  const [, digits, unit] = /^(\d{1,9})(c?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return unit === "c" ? { characters: Number(digits) } : { tokens: Number(digits) };
}
