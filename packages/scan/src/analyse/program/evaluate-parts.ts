import { assignTo } from "./assign-to.ts";
import type { Evaluator } from "./evaluator.ts";
import { concatValues, foldSlice, truthOf } from "./fold-operator.ts";
import type { Expression, ExpressionOf, StatementOf } from "./program-tree.ts";
import { Scope } from "./scope.ts";
import {
  dictionaryValue,
  itemOf,
  itemsOf,
  iteratedOf,
  joinValues,
  keyOf,
  listValue,
  MAX_ITEMS,
  MAX_JOINED_LIST,
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

export function evaluateParts(machine: Evaluator, expression: Compound, scope: Scope): Value {
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
  return listValue(items, [], isLoose);
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
  return dictionaryValue(fields, taints);
}

export function evaluateComprehension(
  machine: Evaluator,
  expression: ExpressionOf<"comprehension">,
  outer: Scope,
): Value {
  const scope = new Scope(outer);
  const results: Value[] = [];
  const keys: Value[] = [];
  let taints: readonly Taint[] = [];
  /** Whether every item of every clause was gone through. */
  let isWhole = true;
  const read = (): void => {
    const truths = expression.conditions.map((condition) => truthOf(machine.evaluate(condition, scope)));
    if (isWhole && truths.includes(false)) return;
    const key = expression.key === undefined ? UNKNOWN : machine.evaluate(expression.key, scope);
    keys.push(key);
    results.push(withTaints(machine.evaluate(expression.element, scope), taintsOf(key)));
  };
  const goThrough = (place: number): void => {
    const clause = expression.clauses[place];
    if (clause === undefined) {
      read();
      return;
    }
    const list = machine.evaluate(clause.iterable, place === 0 ? outer : scope);
    if (place === 0) taints = taintsOf(list);
    const round = (item: Value): void => {
      assignTo(machine, clause.target, item, scope, "declare");
      goThrough(place + 1);
    };
    const items = isWhole && results.length <= MAX_ITEMS ? iteratedOf(list) : undefined;
    if (machine.budget.unrollItems(items, STEPS_EACH, round)) return;
    isWhole = false;
    round(itemOf(list));
  };
  goThrough(0);
  taints = unionTaints(taints, taintsOfAll(results));
  return expression.key === undefined
    ? listValue(results, taints, !isWhole)
    : dictionaryOf(keys, results, taints, isWhole);
}

const STEPS_EACH = 4;

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
  return dictionaryValue(fields, taints);
}

/** A loop without an end that asks a host again and again, with no pause, and looks at no answer. */
export function recordFlood({ recorder }: Evaluator, loop: StatementOf<"while">, before: number): void {
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
      recorder.act({ type: "abuse", what: "flood", detail: fact.act.url }, loop);
}

const PAUSE = /sleep|setTimeout|setInterval|delay|\bwait|break|return|input|select|recv|accept/i;
// `# no break` pauses nothing.
const COMMENTS = /(?:^|\s)(?:#|\/\/).*$|\/\*[^*]*\*\//gm;
