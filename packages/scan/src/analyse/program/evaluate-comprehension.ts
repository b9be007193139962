import { truthOf } from "./fold-operator.ts";
import { itemOf, iteratedOf, MAX_ITEMS } from "./items-of.ts";
import type { Expression } from "./program-tree.ts";
import type { StepBudget } from "./step-budget.ts";
import {
  knownText,
  taintsOf,
  taintsOfAll,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
  withTaints,
} from "./value.ts";

type Comprehension = Extract<Expression, { readonly kind: "comprehension" }>;

/** The names inside a comprehension, and who reads its parts. */
interface Inside {
  readonly budget: StepBudget;
  readonly evaluate: (expression: Expression) => Value;
  readonly bind: (target: Expression, value: Value) => void;
}

/** `[f(x) for x in xs if g(x)]`, item by item where all are known. */
export function evaluateComprehension(expression: Comprehension, iterable: Value, inside: Inside): Value {
  const { budget, evaluate, bind } = inside;
  const items = iteratedOf(iterable);
  const isUnrolled =
    items !== undefined && items.length <= MAX_ITEMS && budget.hasRoundsFor(items.length * 4);
  const results: Value[] = [];
  const keys: Value[] = [];
  const [first, ...rest] = expression.clauses;
  const read = (): void => {
    if (isUnrolled && expression.conditions.some((condition) => truthOf(evaluate(condition)) === false))
      return;
    if (!isUnrolled) for (const condition of expression.conditions) evaluate(condition);
    const key = expression.key === undefined ? UNKNOWN : evaluate(expression.key);
    keys.push(key);
    results.push(withTaints(evaluate(expression.element), taintsOf(key)));
  };
  /** Whether every item of every clause was gone through. */
  let isWhole = isUnrolled;
  const goThrough = (place: number): void => {
    const clause = rest[place];
    if (clause === undefined) {
      read();
      return;
    }
    const list = evaluate(clause.iterable);
    const known = isUnrolled ? iteratedOf(list) : undefined;
    if (known === undefined || results.length + known.length > MAX_ITEMS) isWhole = false;
    for (const item of isWhole && known !== undefined ? known : [itemOf(list)]) {
      bind(clause.target, item);
      goThrough(place + 1);
    }
  };
  const round = (item: Value): void => {
    if (first !== undefined) bind(first.target, item);
    goThrough(0);
  };
  if (isUnrolled)
    budget.unroll(() => {
      for (const item of items) if (budget.mayLoop) round(item);
    });
  else round(itemOf(iterable));
  const taints = unionTaints(taintsOf(iterable), taintsOfAll(results));
  if (expression.key !== undefined) return dictionaryOf(keys, results, taints, isWhole);
  return { box: { items: results, taints, ...(isWhole ? {} : { isLoose: true }) }, taints: [] };
}

function dictionaryOf(
  keys: readonly Value[],
  values: readonly Value[],
  taints: Value["taints"],
  isWhole: boolean,
): Value {
  const names = keys.map((key) => knownText(key) ?? key.number?.toString());
  if (!isWhole || names.includes(undefined)) return unknownWith(taints);
  const fields = new Map<string, Value>();
  for (const [index, name] of names.entries())
    if (name !== undefined) fields.set(name, values[index] ?? UNKNOWN);
  return { box: { fields, taints }, taints: [] };
}
