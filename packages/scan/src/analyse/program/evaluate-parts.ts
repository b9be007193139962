import { evaluateDictionary, evaluateList } from "./evaluate-collection.ts";
import { concatValues, foldSlice, truthOf } from "./fold-operator.ts";
import type { Machine } from "./machine.ts";
import type { Expression } from "./program-tree.ts";
import { recordHiddenText } from "./record-hidden-text.ts";
import type { StepBudget } from "./step-budget.ts";
import {
  joinValues,
  type Taint,
  taintsOf,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
  withStep,
} from "./value.ts";

type Compound = Extract<
  Expression,
  {
    readonly kind:
      | "slice"
      | "concat"
      | "list"
      | "dictionary"
      | "conditional"
      | "assign"
      | "sequence"
      | "unknown";
  }
>;

/** The names around an expression, and who reads its parts. */
interface Around {
  readonly budget: StepBudget;
  readonly evaluate: (expression: Expression) => Value;
  readonly assign: (target: Expression, value: Value) => void;
}

/** Evaluates what has parts of any number. */
export function evaluateParts(machine: Machine, expression: Compound, around: Around): Value {
  const { budget, evaluate } = around;
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
      if (truth === undefined || !budget.isUnrolling) return joinValues(one, other);
      return truth ? one : other;
    }
    case "assign": {
      let value = evaluate(expression.value);
      if (value.taints.length > 0)
        value = { ...value, taints: withStep(value.taints, machine.recorder.step(expression)) };
      if (!budget.isUnrolling) recordHiddenText(machine, expression, value);
      around.assign(expression.target, value);
      return value;
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
