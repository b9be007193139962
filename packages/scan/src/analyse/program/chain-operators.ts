import type { Expression } from "./program-tree.ts";

/** One operator of a chain and what stands to its right. */
interface ChainStep {
  readonly operator: string;
  readonly right: Expression;
}

/** Builds the expression of a left-associative chain; neighbouring `+` become one flat concatenation. */
export function chainOperators(first: Expression, steps: readonly ChainStep[]): Expression {
  const to = steps.at(-1)?.right.to ?? first.to;
  if (steps.length > MAX_MIXED_CHAIN && steps.some((step) => step.operator !== "+"))
    return { kind: "unknown", parts: [first, ...steps.map((step) => step.right)], from: first.from, to };
  let result = first;
  let parts: Expression[] = [];
  for (const { operator, right } of steps) {
    const span = { from: first.from, to: right.to };
    if (operator !== "+") {
      result = { kind: "binary", operator, left: result, right, ...span };
      parts = [];
    } else if (parts.length === 0) {
      parts = [result, right];
      result = { kind: "concat", parts, template: false, from: first.from, to };
    } else parts.push(right);
  }
  return result;
}

/** Longer chains of other operators would nest too deep, and their value is of no interest. */
const MAX_MIXED_CHAIN = 40;
