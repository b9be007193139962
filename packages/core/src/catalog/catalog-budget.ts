import { SkilletError } from "@skillet/kit/errors";
import type { Skill } from "../registry/skill.ts";
import { type CatalogForm, renderEntryXml } from "./catalog-forms.ts";
import { type CatalogOptions, formOf } from "./create-catalog.ts";

/** The maximum length of a catalogue, counted in full; characters are UTF-16 units, as in `text.length`. */
export type CatalogBudget =
  | { readonly tokens: number }
  | { readonly characters: number }
  /** Tokens of the model's whole context; the catalogue gets 2% of them. */
  | { readonly contextWindow: number }
  | "unlimited";

/** A budget as the unit that is summed: characters, bytes, or characters checked by a host's count. */
export type ResolvedBudget = { weigh(text: string): number } & (
  | { readonly kind: "unlimited" }
  | { readonly kind: "weight"; readonly limit: number }
  | { readonly kind: "counted"; readonly tokens: number; fits(text: string): boolean }
);

const DEFAULT_BUDGET: CatalogBudget = { characters: 8000 };

const CONTEXT_SHARE = 0.02;

/** Checks a budget and says how to stay within it; throws a SkilletError if it is not a valid amount. */
export function resolveBudget(
  budget: CatalogBudget = DEFAULT_BUDGET,
  count?: CountTokens | undefined,
): ResolvedBudget {
  if (budget === "unlimited") return { kind: "unlimited", weigh: weighCharacters };
  if (typeof budget !== "object") return invalidBudget(budget);
  if ("characters" in budget)
    return { kind: "weight", limit: checkAmount("characters", budget.characters), weigh: weighCharacters };
  const tokens = "tokens" in budget ? checkAmount("tokens", budget.tokens) : shareOf(budget.contextWindow);
  // If the host does not count tokens, they are UTF-8 bytes divided by four, rounded up.
  if (count === undefined)
    return {
      kind: "weight",
      limit: Math.floor(tokens) * UNITS_PER_TOKEN,
      weigh: (text) => Buffer.byteLength(text),
    };
  return { kind: "counted", tokens, fits: (text) => count(text) <= tokens, weigh: weighCharacters };
}

function shareOf(contextWindow: number): number {
  return Math.max(1, Math.floor(checkAmount("tokens of context", contextWindow) * CONTEXT_SHARE));
}

function checkAmount(unit: string, amount: number): number {
  if (amount >= 0) return amount;
  const message = `A catalogue cannot have a budget of ${amount} ${unit}; pass 0 or more, or "unlimited".`;
  throw new SkilletError("invalid-budget", message, { data: { unit, amount } });
}

function weighCharacters(text: string): number {
  return text.length;
}

function invalidBudget(budget: never): never {
  const message = `The budget of a catalogue is ${JSON.stringify(budget)}; pass { tokens }, { characters }, { contextWindow } or "unlimited".`;
  throw new SkilletError("invalid-budget", message, { data: { budget } });
}

export interface CatalogCapacity {
  /** An upper bound, reached only if every name had one letter. */
  readonly atMost: number;
  /** This many have room for a description that says when to use them. */
  readonly comfortable: number;
}

const USUAL_ENTRY_WEIGHT = 320;
const MIN_COMFORTABLE = 8;
const MAX_COMFORTABLE = 150;

export function catalogCapacity(options: CatalogOptions): CatalogCapacity {
  const count = options.countTokens === undefined ? undefined : checkedCount(options.countTokens);
  const budget = resolveBudget(options.budget, count);
  if (budget.kind === "unlimited")
    return { atMost: Number.POSITIVE_INFINITY, comfortable: Number.POSITIVE_INFINITY };
  const form = formOf(options.format ?? "xml");
  // Whatever the host's count, an entry takes at least one token.
  const least = budget.kind === "counted" ? 1 : weighShortest(form, budget.weigh);
  const limit = budget.kind === "counted" ? budget.tokens : budget.limit;
  const units = budget.kind === "counted" ? limit * UNITS_PER_TOKEN : limit;
  const comfortable = Math.floor(units / USUAL_ENTRY_WEIGHT);
  return {
    atMost: Math.ceil(limit / least),
    comfortable: Math.min(MAX_COMFORTABLE, Math.max(MIN_COMFORTABLE, comfortable)),
  };
}

function weighShortest(form: CatalogForm, weigh: (text: string) => number): number {
  const entry = { name: "", userOnly: false };
  return Math.max(1, weigh(form.before(entry)) + weigh(form.after(entry)) + weigh(form.separator));
}

export type CountTokens = (text: string) => number;

/** About how many tokens a text costs: UTF-8 bytes over four, so that Chinese is not underestimated. */
export function countTokens(text: string): number {
  return estimateTokens(Buffer.byteLength(text));
}

/** Checks that a host's count is an amount; any other value would silently empty or overfill a catalogue. */
export function checkedCount(count: CountTokens): CountTokens {
  return (text) => {
    const tokens = count(text);
    if (tokens >= 0) return tokens;
    const message = `countTokens gave ${tokens} for a text of ${text.length} characters; make it give 0 or more.`;
    throw new SkilletError("invalid-token-count", message, { data: { tokens } });
  };
}

// Dividing by four is about 13% off a real tokenizer on public skills, so counts are shown as "about".
const UNITS_PER_TOKEN = 4;

function estimateTokens(characters: number): number {
  return Math.ceil(characters / UNITS_PER_TOKEN);
}

export function tokenCost(skill: Skill): { readonly catalog: number; readonly body: number } {
  return { catalog: countTokens(`${renderEntryXml(skill)}\n`), body: estimateTokens(skill.bodyCharacters) };
}
