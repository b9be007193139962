import { SkilletError } from "@skillet/kit/errors";
import type { CountTokens } from "./count-tokens.ts";
import { UNITS_PER_TOKEN } from "./estimate-tokens.ts";

/** How long a catalogue may be, all of it counted; characters are UTF-16 units, as in `text.length`. */
export type CatalogBudget =
  | { readonly tokens: number }
  | { readonly characters: number }
  /** Tokens of the model's whole context; the catalogue gets 2 % of them. */
  | { readonly contextWindow: number }
  | "unlimited";

/** A budget in terms of what is added up: characters, bytes, or characters as long as a host's count agrees. */
export type ResolvedBudget = { weigh(text: string): number } & (
  | { readonly kind: "unlimited" }
  | { readonly kind: "weight"; readonly limit: number }
  | { readonly kind: "counted"; readonly tokens: number; fits(text: string): boolean }
);

const DEFAULT_BUDGET: CatalogBudget = { characters: 8000 };

const CONTEXT_SHARE = 0.02;

/** Checks a budget and says how to keep to it; throws a SkilletError if it is no amount. */
export function resolveBudget(
  budget: CatalogBudget = DEFAULT_BUDGET,
  count?: CountTokens | undefined,
): ResolvedBudget {
  if (budget === "unlimited") return { kind: "unlimited", weigh: weighCharacters };
  if (typeof budget !== "object") return invalidBudget(budget);
  if ("characters" in budget)
    return { kind: "weight", limit: checkAmount("characters", budget.characters), weigh: weighCharacters };
  const tokens = "tokens" in budget ? checkAmount("tokens", budget.tokens) : shareOf(budget.contextWindow);
  // Without a host's count, tokens are bytes over four, rounded up.
  if (count === undefined)
    return { kind: "weight", limit: Math.floor(tokens) * UNITS_PER_TOKEN, weigh: weighBytes };
  return { kind: "counted", tokens, fits: (text) => count(text) <= tokens, weigh: weighCharacters };
}

function shareOf(contextWindow: number): number {
  return Math.max(1, Math.floor(checkAmount("tokens of context", contextWindow) * CONTEXT_SHARE));
}

function checkAmount(unit: string, amount: number): number {
  if (amount >= 0) return amount;
  throw new SkilletError(
    "invalid-budget",
    `A catalogue cannot have a budget of ${amount} ${unit}; pass 0 or more, or "unlimited".`,
    { data: { unit, amount } },
  );
}

function weighCharacters(text: string): number {
  return text.length;
}

function weighBytes(text: string): number {
  return Buffer.byteLength(text);
}

function invalidBudget(budget: never): never {
  throw new SkilletError(
    "invalid-budget",
    `The budget of a catalogue is ${JSON.stringify(budget)}; pass { tokens }, { characters }, { contextWindow } or "unlimited".`,
    { data: { budget } },
  );
}
