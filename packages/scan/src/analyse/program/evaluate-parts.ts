import { assignTo } from "./assign-to.ts";
import { itemOf, itemsOf, iteratedOf, MAX_ITEMS, MAX_JOINED_LIST } from "./call.ts";
import { concatValues, foldSlice, truthOf } from "./fold-operator.ts";
import type { Machine } from "./machine.ts";
import type { Expression, ExpressionOf, StatementOf } from "./program-tree.ts";
import { Scope } from "./scope.ts";
import {
  joinValues,
  keyOf,
  type Taint,
  taintsOf,
  taintsOfAll,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
  withTaints,
} from "./value.ts";

type Compound = ExpressionOf<
  "slice" | "concat" | "list" | "dictionary" | "conditional" | "sequence" | "unknown"
>;

export function evaluateParts(machine: Machine, expression: Compound, scope: Scope): Value {
  const evaluate = (part: Expression): Value => machine.evaluate(part, scope);
  switch (expression.kind) {
    case "slice":
      return foldSlice(
        evaluate(expression.object),
        expression.bounds.map((bound) => (bound === undefined ? undefined : evaluate(bound))),
      );
    case "concat":
      return concatValues(expression.parts.map(evaluate), expression.template ? "template" : "plus");
    case "list":
      return evaluateList(expression.items, evaluate);
    case "dictionary":
      return evaluateDictionary(expression, evaluate);
    case "conditional": {
      const truth = truthOf(evaluate(expression.test));
      const [one, other] = [evaluate(expression.then), evaluate(expression.otherwise)];
      if (truth === undefined || !machine.budget.isUnrolling) return joinValues(one, other);
      return truth ? one : other;
    }
    case "sequence": {
      let last = UNKNOWN;
      for (const item of expression.items) last = evaluate(item);
      return last;
    }
    case "unknown": {
      let taints: readonly Taint[] = [];
      for (const part of expression.parts) {
        const more = taintsOf(evaluate(part));
        if (more.length > 0) taints = unionTaints(taints, more);
      }
      return unknownWith(taints);
    }
  }
}

type Evaluate = (expression: Expression) => Value;

function evaluateList(parts: readonly Expression[], evaluate: Evaluate): Value {
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

function evaluateDictionary(expression: ExpressionOf<"dictionary">, evaluate: Evaluate): Value {
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
    const name = keyOf(key);
    if (name !== undefined) fields.set(name, value);
    taints = unionTaints(taints, taintsOf(key));
  }
  return { box: { fields, taints }, taints: [] };
}

export function evaluateComprehension(
  machine: Machine,
  expression: ExpressionOf<"comprehension">,
  outer: Scope,
): Value {
  const { budget } = machine;
  const [first, ...rest] = expression.clauses;
  if (first === undefined) return UNKNOWN;
  const iterable = machine.evaluate(first.iterable, outer);
  const scope = new Scope(outer);
  const evaluate = (part: Expression): Value => machine.evaluate(part, scope);
  const items = iteratedOf(iterable);
  const isUnrolled =
    items !== undefined && items.length <= MAX_ITEMS && budget.hasRoundsFor(items.length * 4);
  const results: Value[] = [];
  const keys: Value[] = [];
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
      assignTo(machine, clause.target, item, scope, "declare");
      goThrough(place + 1);
    }
  };
  const round = (item: Value): void => {
    assignTo(machine, first.target, item, scope, "declare");
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
  const names = keys.map(keyOf);
  if (!isWhole || names.includes(undefined)) return unknownWith(taints);
  const fields = new Map<string, Value>();
  for (const [index, name] of names.entries())
    if (name !== undefined) fields.set(name, values[index] ?? UNKNOWN);
  return { box: { fields, taints }, taints: [] };
}

/** A loop without an end that asks a host again and again, with no pause, and looks at no answer. */
export function recordFlood({ recorder }: Machine, loop: StatementOf<"while">, before: number): void {
  const { test, body } = loop;
  const isEndless = test === undefined || (test.kind === "literal" && Boolean(test.value));
  if (!isEndless || PAUSE.test(recorder.textOf(loop).replace(COMMENTS, ""))) return;
  const lines = body.filter(({ kind }) => kind === "expression").map(({ from }) => recorder.lineOf(from));
  for (const fact of recorder.facts.slice(before))
    if (
      fact.kind === "act" &&
      (fact.act.type === "fetch" || fact.act.type === "send") &&
      lines.includes(fact.line)
    )
      recorder.act(loop, { type: "abuse", what: "flood", detail: fact.act.url });
}

const PAUSE = /sleep|setTimeout|setInterval|delay|\bwait|break|return|input|select|recv|accept/i;
// `# no break` pauses nothing.
const COMMENTS = /(?:^|\s)(?:#|\/\/).*$|\/\*[^*]*\*\//gm;
