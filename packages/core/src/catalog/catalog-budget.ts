import { SkilletError } from "@skillet/kit/errors";
import type { Skill } from "../registry/skill.ts";
import { type CatalogForm, renderEntryXml } from "./catalog-forms.ts";
import { type CatalogOptions, formOf } from "./create-catalog.ts";

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

/** Checks a budget and says how to keep to it; throws a SkilletError if it is not an amount. */
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
  /** More cannot be listed, not even by names of one letter. */
  readonly atMost: number;
  /** So many have room for a description that says when to use them. */
  readonly comfortable: number;
}

/** The usual size of an entry with most of its description. */
const USUAL_ENTRY_WEIGHT = 320;
const MIN_COMFORTABLE = 8;
const MAX_COMFORTABLE = 150;

export function catalogCapacity(options: CatalogOptions): CatalogCapacity {
  const count = options.countTokens === undefined ? undefined : checkedCount(options.countTokens);
  const budget = resolveBudget(options.budget, count);
  if (budget.kind === "unlimited")
    return { atMost: Number.POSITIVE_INFINITY, comfortable: Number.POSITIVE_INFINITY };
  const form = formOf(options.format ?? "xml");
  // However a host counts, an entry takes a token or more.
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

/** About how many tokens a text costs a model: its UTF-8 bytes over four, so that Chinese is not taken for cheap. */
export function countTokens(text: string): number {
  return estimateTokens(Buffer.byteLength(text));
}

/** A host's count that is an amount; anything else would make a catalogue empty, or endless, without a word. */
export function checkedCount(count: CountTokens): CountTokens {
  return (text) => {
    const tokens = count(text);
    if (tokens >= 0) return tokens;
    const message = `countTokens gave ${tokens} for a text of ${text.length} characters; make it give 0 or more.`;
    throw new SkilletError("invalid-token-count", message, { data: { tokens } });
  };
}

// Over four is about 13 % off a real tokenizer over public skills; shown as "about".
const UNITS_PER_TOKEN = 4;

function estimateTokens(characters: number): number {
  return Math.ceil(characters / UNITS_PER_TOKEN);
}

export function tokenCost(skill: Skill): { readonly catalog: number; readonly body: number } {
  return { catalog: countTokens(`${renderEntryXml(skill)}\n`), body: estimateTokens(skill.bodyCharacters) };
}
