import type { Expression } from "./program-tree.ts";
import type { Scope } from "./scope.ts";
import { type Closure, listValue, type Value } from "./value.ts";

const GIVEN: Value = { taints: [], isParameter: true };

/** Gives the parameters of a function their values. */
export function bindParameters(
  closure: Closure,
  given: { readonly positional: readonly Value[]; readonly keywords: ReadonlyMap<string, Value> },
  scope: Scope,
  machine: {
    readonly language: "python" | "javascript";
    readonly bind: (target: Expression, value: Value) => void;
    readonly evaluate: (expression: Expression) => Value;
  },
): void {
  let { positional } = given;
  if (machine.language === "javascript") {
    if (closure.owner !== undefined) scope.declare("this", closure.owner);
    scope.declare("arguments", listValue(positional));
  } else if (closure.takesOwner && closure.owner !== undefined) positional = [closure.owner, ...positional];
  for (const [index, parameter] of closure.definition.parameters.entries()) {
    if (parameter.rest === "list") {
      machine.bind(parameter.target, listValue(positional.slice(index)));
      continue;
    }
    const named = parameter.target.kind === "name" ? given.keywords.get(parameter.target.name) : undefined;
    const fallback = parameter.fallback === undefined ? GIVEN : machine.evaluate(parameter.fallback);
    machine.bind(parameter.target, asParameter(named ?? positional[index] ?? fallback));
  }
}

/** One call with a constant does not mean that all are: a tool that tries itself out is still a tool. */
function asParameter(value: Value): Value {
  return value.text === undefined || value.isParameter === true ? value : { ...value, isParameter: true };
}
