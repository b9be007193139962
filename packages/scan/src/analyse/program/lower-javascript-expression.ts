import type { SyntaxNode } from "@lezer/common";
import { lowerBody, lowerJavascriptClass, lowerPattern, propertyNameOf } from "./lower-javascript.ts";
import type {
  DictionaryEntry,
  Expression,
  FunctionDefinition,
  Parameter,
  Span,
  Statement,
} from "./program-tree.ts";
import {
  chainOperators,
  childNamed,
  childrenOf,
  readEscapes,
  readJavascriptString,
  type SyntaxReader,
  spanOf,
  unknownOf,
} from "./syntax-reader.ts";

export function lowerJavascriptExpression(reader: SyntaxReader, node: SyntaxNode): Expression {
  if (!reader.enter()) return unknownOf(node, []);
  const expression = lower(reader, node);
  reader.leave();
  return expression;
}

export function lowerJavascriptFunction(reader: SyntaxReader, node: SyntaxNode): FunctionDefinition {
  const children = childrenOf(node);
  const span = spanOf(node);
  const name = childNamed(children, "VariableDefinition");
  const list = childNamed(children, "ParamList");
  const parameters = list === undefined ? [] : lowerParameters(reader, childrenOf(list));
  const block = childNamed(children, "Block");
  let body: readonly Statement[] = [];
  const arrow = children.findIndex((child) => child.name === "Arrow");
  const result = arrow === -1 ? undefined : children[arrow + 1];
  if (block !== undefined) body = lowerBody(reader, block);
  else if (result !== undefined)
    body = [{ kind: "return", value: lowerJavascriptExpression(reader, result), ...span }];
  return { name: name && reader.textOf(name), parameters, body, ...span };
}

function lower(reader: SyntaxReader, node: SyntaxNode): Expression {
  const span = spanOf(node);
  const children = childrenOf(node);
  const [first, second] = children;
  const inner = (child: SyntaxNode): Expression => lowerJavascriptExpression(reader, child);
  switch (node.name) {
    case "VariableName":
    case "VariableDefinition":
    case "PropertyName":
    case "this":
    case "super":
      return { kind: "name", name: reader.textOf(node), ...span };
    case "Number":
      return { kind: "literal", value: Number(reader.textOf(node).replace(/_|n$/g, "")), ...span };
    case "BooleanLiteral":
      return { kind: "literal", value: reader.textOf(node) === "true", ...span };
    case "null":
      return { kind: "literal", value: null, ...span };
    case "String":
      return { kind: "literal", value: readJavascriptString(reader.textOf(node)), ...span };
    case "TemplateString":
      return lowerTemplate(reader, node);
    case "TaggedTemplateExpression": {
      const tag = first === undefined ? unknownOf(node, []) : lowerTag(reader, first);
      const template = second === undefined ? unknownOf(node, []) : inner(second);
      return { kind: "call", callee: tag, positional: [template], keywords: [], ...span };
    }
    case "ParenthesizedExpression":
      return second === undefined ? unknownOf(node, []) : inner(second);
    case "ArrayExpression":
      return { kind: "list", items: lowerItems(children, inner), ...span };
    case "ObjectExpression":
      return lowerObject(reader, node);
    case "ArrowFunction":
    case "FunctionExpression":
    case "FunctionDeclaration":
      return { kind: "function", definition: lowerJavascriptFunction(reader, node), ...span };
    case "ClassExpression":
    case "ClassDeclaration":
      return { kind: "class", definition: lowerJavascriptClass(reader, node), ...span };
    case "CallExpression":
    case "NewExpression":
      return lowerCall(node, inner);
    case "MemberExpression":
      return lowerMember(reader, node);
    case "BinaryExpression":
      return lowerBinary(reader, node);
    default:
      return lowerRest(reader, node);
  }
}

/** The template tag `$` of shell scripting libraries is a global there. */
function lowerTag(reader: SyntaxReader, node: SyntaxNode): Expression {
  if (reader.textOf(node) !== "$") return lowerJavascriptExpression(reader, node);
  const library: Expression = { kind: "name", name: "zx", ...spanOf(node) };
  return { kind: "member", object: library, property: "$", ...spanOf(node) };
}

function lowerRest(reader: SyntaxReader, node: SyntaxNode): Expression {
  const span = spanOf(node);
  const children = childrenOf(node);
  const [first, second, third] = children;
  const inner = (child: SyntaxNode): Expression => lowerJavascriptExpression(reader, child);
  switch (node.name) {
    case "UnaryExpression":
      if (first !== undefined && second !== undefined)
        return /^(?:\+\+|--)$/.test(reader.textOf(first))
          ? lowerStep(reader, second, first)
          : { kind: "unary", operator: reader.textOf(first), operand: inner(second), ...span };
      break;
    case "AwaitExpression":
    case "YieldExpression":
    case "PrefixCast": {
      const last = children.at(-1);
      if (last !== undefined) return inner(last);
      break;
    }
    case "PostfixExpression":
      if (first !== undefined && second !== undefined) return lowerStep(reader, first, second);
      break;
    case "InstantiationExpression":
      if (first !== undefined) return inner(first);
      break;
    case "SequenceExpression":
      return { kind: "sequence", items: children.filter(({ name }) => name !== ",").map(inner), ...span };
    case "ConditionalExpression":
      if (first !== undefined && third !== undefined && children[4] !== undefined)
        return {
          kind: "conditional",
          test: inner(first),
          // biome-ignore lint/suspicious/noThenProperty: the branch of a conditional, not a promise
          then: inner(third),
          otherwise: inner(children[4]),
          ...span,
        };
      break;
    case "AssignmentExpression":
      if (first !== undefined && second !== undefined && third !== undefined)
        return lowerAssignment(lowerPattern(reader, first), reader.textOf(second), inner(third), span);
      break;
    case "DynamicImport": {
      const argument = children.find((child) => !/^(?:import|[()])$/.test(child.name));
      return {
        kind: "call",
        callee: { kind: "name", name: "import", ...span },
        positional: argument === undefined ? [] : [inner(argument)],
        keywords: [],
        ...span,
      };
    }
  }
  return unknownOf(node, children.map(inner));
}

function lowerAssignment(target: Expression, operator: string, value: Expression, span: Span): Expression {
  if (operator === "=") return { kind: "assign", target, value, ...span };
  const changed: Expression =
    operator === "+="
      ? { kind: "concat", parts: [target, value], template: false, ...span }
      : { kind: "binary", operator: operator.slice(0, -1), left: target, right: value, ...span };
  return { kind: "assign", target, value: changed, ...span };
}

/** `i++` and `--i`; that the first gives the value before it is of no interest. */
function lowerStep(reader: SyntaxReader, target: SyntaxNode, sign: SyntaxNode): Expression {
  const span = spanOf(target);
  const operand = lowerJavascriptExpression(reader, target);
  const operator = reader.textOf(sign);
  if (operator !== "++" && operator !== "--") return operand;
  const one: Expression = { kind: "literal", value: 1, ...span };
  const value: Expression = {
    kind: "binary",
    operator: operator.slice(1),
    left: operand,
    right: one,
    ...span,
  };
  return { kind: "assign", target: operand, value, ...span };
}

function lowerItems(
  children: readonly SyntaxNode[],
  inner: (child: SyntaxNode) => Expression,
): readonly Expression[] {
  const items: Expression[] = [];
  for (const [index, child] of children.entries()) {
    if (PUNCTUATION.has(child.name)) continue;
    const value = inner(child);
    const isSpread = children[index - 1]?.name === "Spread";
    items.push(isSpread ? { kind: "spread", value, from: child.from, to: child.to } : value);
  }
  return items;
}

const PUNCTUATION: ReadonlySet<string> = new Set(["(", ")", "[", "]", "{", "}", ",", "Spread", "?."]);

function lowerParameters(reader: SyntaxReader, nodes: readonly SyntaxNode[]): readonly Parameter[] {
  const parameters: Parameter[] = [];
  for (const [index, node] of nodes.entries()) {
    if (!/Definition$|Pattern$/.test(node.name)) continue;
    let sign = index + 1;
    while (/^(?:TypeAnnotation|Optional)$/.test(nodes[sign]?.name ?? "")) sign++;
    const fallback = nodes[sign]?.name === "Equals" ? nodes[sign + 1] : undefined;
    parameters.push({
      target: lowerPattern(reader, node),
      fallback: fallback === undefined ? undefined : lowerJavascriptExpression(reader, fallback),
      rest: nodes[index - 1]?.name === "Spread" ? "list" : "none",
    });
  }
  return parameters;
}

function lowerTemplate(reader: SyntaxReader, node: SyntaxNode): Expression {
  const parts: Expression[] = [];
  let at = node.from + 1;
  const addText = (to: number): void => {
    if (to > at) parts.push({ kind: "literal", value: readEscapes(reader.text.slice(at, to)), from: at, to });
  };
  for (const child of childrenOf(node)) {
    if (child.name !== "Interpolation") continue;
    addText(child.from);
    const value = childrenOf(child).find((part) => !part.name.startsWith("Interpolation"));
    if (value !== undefined) parts.push(lowerJavascriptExpression(reader, value));
    at = child.to;
  }
  addText(reader.text[node.to - 1] === "`" ? node.to - 1 : node.to);
  const [only] = parts;
  if (parts.length === 0) return { kind: "literal", value: "", from: node.from, to: node.to };
  if (parts.length === 1 && only?.kind === "literal") return { ...only, from: node.from, to: node.to };
  return { kind: "concat", parts, template: true, from: node.from, to: node.to };
}

function lowerObject(reader: SyntaxReader, node: SyntaxNode): Expression {
  const entries: DictionaryEntry[] = [];
  for (const property of childrenOf(node)) {
    if (property.name !== "Property") continue;
    const parts = childrenOf(property).filter((part) => !/^(?:async|get|set|Star)$/.test(part.name));
    const [first, second] = parts;
    const last = parts.at(-1);
    if (first === undefined || last === undefined) continue;
    const span = { from: property.from, to: property.to };
    if (first.name === "Spread") {
      entries.push({ key: undefined, value: lowerJavascriptExpression(reader, last) });
      continue;
    }
    const key: Expression =
      first.name === "[" && second !== undefined
        ? lowerJavascriptExpression(reader, second)
        : { kind: "literal", value: propertyNameOf(reader, first), ...span };
    let value: Expression;
    if (parts.some((part) => part.name === "ParamList"))
      value = { kind: "function", definition: lowerJavascriptFunction(reader, property), ...span };
    else if (parts.length === 1) value = { kind: "name", name: reader.textOf(first), ...span };
    else value = lowerJavascriptExpression(reader, last);
    entries.push({ key, value });
    if (key.kind === "literal") reader.say(String(key.value), value);
  }
  return { kind: "dictionary", entries, from: node.from, to: node.to };
}

function lowerCall(node: SyntaxNode, inner: (child: SyntaxNode) => Expression): Expression {
  const children = childrenOf(node).filter((child) => child.name !== "new" && child.name !== "?.");
  const [callee] = children;
  const list = childNamed(children, "ArgList");
  const positional = list === undefined ? [] : lowerItems(childrenOf(list), inner);
  if (callee === undefined) return unknownOf(node, positional);
  return { kind: "call", callee: inner(callee), positional, keywords: [], from: node.from, to: node.to };
}

function lowerMember(reader: SyntaxReader, node: SyntaxNode): Expression {
  const children = childrenOf(node);
  const inner = (child: SyntaxNode): Expression => lowerJavascriptExpression(reader, child);
  const [object] = children;
  const span = spanOf(node);
  if (object === undefined) return unknownOf(node, []);
  const bracket = children.findIndex((child) => child.name === "[");
  const index = bracket === -1 ? undefined : children[bracket + 1];
  if (index !== undefined) return { kind: "index", object: inner(object), index: inner(index), ...span };
  const property = children.at(-1);
  const name = property === undefined || property === object ? "" : reader.textOf(property);
  return { kind: "member", object: inner(object), property: name, ...span };
}

/** Walks down the left side of a chain in a loop: generated code has chains of thousands of `+`. */
function lowerBinary(reader: SyntaxReader, node: SyntaxNode): Expression {
  const steps: { readonly operator: string; readonly right: SyntaxNode }[] = [];
  let left = node;
  while (left.name === "BinaryExpression") {
    const [first, sign, last] = childrenOf(left);
    if (first === undefined || sign === undefined || last === undefined) return unknownOf(node, []);
    // `x as T` and `x satisfies T` are x.
    if (sign.name !== "as" && sign.name !== "satisfies")
      steps.push({ operator: reader.textOf(sign), right: last });
    left = first;
  }
  const inner = (child: SyntaxNode): Expression => lowerJavascriptExpression(reader, child);
  return chainOperators(
    inner(left),
    steps.reverse().map(({ operator, right }) => ({ operator, right: inner(right) })),
  );
}
