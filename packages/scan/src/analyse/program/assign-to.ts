import type { Evaluator } from "./evaluator.ts";
import { type Given, Site } from "./machine.ts";
import { memberOf, namedValue } from "./named-value.ts";
import type { Expression, Statement } from "./program-tree.ts";
import type { Scope } from "./scope.ts";
import { noteShownAddress } from "./unknown-call.ts";
import {
  type Closure,
  dictionaryValue,
  HOLE,
  itemOf,
  itemsOf,
  joinValues,
  keyOf,
  listValue,
  taintsOf,
  textValue,
  UNKNOWN,
  unionTaints,
  type Value,
  withTaints,
} from "./value.ts";

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

/** Of what walking a folder gives, only the first is a path. */
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
  // A value that a field got on another way through the program may still be there.
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

/** One call with a constant does not mean that all are: a tool that tries itself out is still a tool. */
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

export function exportedValue(scope: Scope, language: "python" | "javascript"): Value {
  const names = scope.own();
  if (language === "python") return dictionaryValue(new Map(names));
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
