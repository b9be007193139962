import type { Evaluator } from "./evaluator.ts";
import { concatValues, foldSlice, truthOf } from "./fold-operator.ts";
import { type Given, Site } from "./machine.ts";
import { memberOf, namedValue } from "./named-value.ts";
import type { Expression, ExpressionOf, Statement, StatementOf } from "./program-tree.ts";
import { Scope } from "./scope.ts";
import { noteShownAddress, privateTaints } from "./unknown-call.ts";
import {
  type Closure,
  dictionaryValue,
  HOLE,
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
  textValue,
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
  if (expression.key === undefined) return listValue(results, taints, !isWhole);
  const fields = new Map<string, Value>();
  for (const [index, key] of keys.entries()) {
    const name = keyOf(key);
    if (!isWhole || name === undefined) return unknownWith(taints);
    fields.set(name, results[index] ?? UNKNOWN);
  }
  return isWhole ? dictionaryValue(fields, taints) : unknownWith(taints);
}

const STEPS_EACH = 4;

/** An endless loop that calls a host without a pause and without reading the answers. */
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
// `# no break` is not a pause.
const COMMENTS = /(?:^|\s)(?:#|\/\/).*$|\/\*[^*]*\*\//gm;

export function assignTo(
  machine: Evaluator,
  target: Expression,
  value: Value,
  scope: Scope,
  how: "declare" | "assign",
): void {
  const site = new Site(machine, target);
  const assign = (part: Expression, given: Value): void => assignTo(machine, part, given, scope, how);
  switch (target.kind) {
    case "name":
      scope[how](target.name, value);
      break;
    case "member":
      if (LOADING.has(target.property)) noteShownAddress(site, value);
      setField(machine, machine.evaluate(target.object, scope), target.property, value);
      break;
    case "index": {
      const object = machine.evaluate(target.object, scope);
      const index = machine.evaluate(target.index, scope);
      setField(machine, object, keyOf(index), withTaints(value, taintsOf(index)));
      break;
    }
    case "list": {
      const items = itemsOf(value);
      for (const [index, part] of target.items.entries())
        assign(part, part.kind === "spread" ? itemOf(value) : (items?.[index] ?? partOf(value, index)));
      break;
    }
    case "dictionary":
      for (const { key, value: part } of target.entries)
        assign(part, key?.kind === "literal" ? memberOf(site, value, String(key.value)) : value);
      break;
    case "spread":
      assign(target.value, value);
      break;
  }
}

/** Setting one of these makes a page load an address. */
const LOADING: ReadonlySet<string> = new Set(["src", "href", "innerHTML", "location"]);

/** In the result of walking a folder, only the first part is a path. */
function partOf(value: Value, index: number): Value {
  if (value.api === "path") return index === 0 ? value : UNKNOWN;
  return itemOf(value);
}

function setField(machine: Evaluator, object: Value, key: string | undefined, value: Value): void {
  if (object.api !== undefined && machine.api.environments.has(object.api)) {
    if (key !== undefined) machine.shell.variables.set(key, value);
    return;
  }
  // `session.headers["x"] = …` is kept by the session.
  const box = object.box ?? object.subject?.box;
  const { maker } = object;
  if (maker !== undefined) maker.taints = unionTaints(maker.taints, privateTaints(taintsOf(value)));
  if (box === undefined) return;
  box.taints = unionTaints(box.taints, taintsOf(value));
  if (key === undefined) {
    box.isLoose = true;
    return;
  }
  const fields = box.fields ?? new Map<string, Value>();
  box.fields = fields;
  const place = box.items === undefined ? Number.NaN : Number(key);
  if (box.items !== undefined && Number.isInteger(place) && place < box.items.length && place >= 0)
    box.items[place] = value;
  // A value that another branch assigned to the field may still be there.
  else fields.set(key, box.definition === undefined ? value : joinValues(fields.get(key), value));
}

const GIVEN: Value = { taints: [], isParameter: true };

export function bindParameters(machine: Evaluator, closure: Closure, given: Given, scope: Scope): void {
  let { positional } = given;
  if (machine.language === "javascript") {
    if (closure.owner !== undefined) scope.declare("this", closure.owner);
    scope.declare("arguments", listValue(positional));
  } else if (closure.takesOwner && closure.owner !== undefined) positional = [closure.owner, ...positional];
  for (const [index, parameter] of closure.definition.parameters.entries()) {
    if (parameter.isRest) {
      assignTo(machine, parameter.target, listValue(positional.slice(index)), scope, "declare");
      continue;
    }
    const named = parameter.target.kind === "name" ? given.keywords?.get(parameter.target.name) : undefined;
    const fallback = parameter.fallback === undefined ? GIVEN : machine.evaluate(parameter.fallback, scope);
    assignTo(
      machine,
      parameter.target,
      asParameter(named ?? positional[index] ?? fallback),
      scope,
      "declare",
    );
  }
}

/** One call with a constant does not mean that all are: a tool may call itself as a test. */
function asParameter(value: Value): Value {
  return value.text === undefined || value.isParameter === true ? value : { ...value, isParameter: true };
}

export function importNames(
  machine: Evaluator,
  statement: Extract<Statement, { readonly kind: "import" }>,
  scope: Scope,
): void {
  const module = statement.module.replace(/^node:/, "");
  const sibling = machine.modules?.module(module);
  for (const { imported, local } of statement.names) {
    if (local === "*") {
      for (const [name, value] of sibling?.box?.fields ?? []) scope.declare(name, value);
      continue;
    }
    const own = imported === "*" ? sibling : sibling?.box?.fields?.get(imported);
    const submodule = own ?? machine.modules?.module(`${module.replace(/\.$/, "")}.${imported}`);
    const whole = namedValue(machine.api, module);
    const site = new Site(machine, statement);
    scope.declare(local, submodule ?? (imported === "*" ? whole : memberOf(site, whole, imported)));
  }
}

export function declareExports(scope: Scope): void {
  const exported = dictionaryValue(new Map());
  scope.declare("exports", exported);
  scope.declare("module", { ...dictionaryValue(new Map([["exports", exported]])), api: "module" });
}

export function exportedValue(scope: Scope, language: Evaluator["language"]): Value {
  const names = scope.own();
  if (language !== "javascript") return dictionaryValue(new Map(names));
  const assigned = names.get("module")?.box?.fields?.get("exports") ?? UNKNOWN;
  const chosen = names.get("default") ?? assigned;
  const fields = new Map([...names, ...(assigned.box?.fields ?? []), ...(chosen.box?.fields ?? [])]);
  fields.delete("module");
  fields.delete("exports");
  return { ...chosen, box: { ...chosen.box, fields, taints: chosen.box?.taints ?? [] } };
}

export function literalValue(value: string | number | boolean | null, isBytes: boolean | undefined): Value {
  if (typeof value === "string") {
    return { ...textValue(value.replaceAll(HOLE, "")), isBytes: isBytes === true };
  }
  return typeof value === "number" ? { number: value, taints: [] } : UNKNOWN;
}
