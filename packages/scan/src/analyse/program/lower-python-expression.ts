import type { SyntaxNode } from "@lezer/common";
import type {
  DictionaryEntry,
  Expression,
  FunctionDefinition,
  Keyword,
  Parameter,
  Span,
  Statement,
} from "./program-tree.ts";
import {
  chainOperators,
  childNamed,
  childrenOf,
  readEscapes,
  readPythonString,
  type SyntaxReader,
  spanOf,
  unknownOf,
} from "./syntax-reader.ts";

export function lowerPythonExpression(reader: SyntaxReader, node: SyntaxNode): Expression {
  if (!reader.enter()) return unknownOf(node, []);
  const expression = lower(reader, node);
  reader.leave();
  return expression;
}

export function tupleOf(reader: SyntaxReader, nodes: readonly SyntaxNode[], span: Span): Expression {
  const items = itemsOf(reader, nodes);
  const [first] = items;
  if (items.length === 1 && first !== undefined && !nodes.some((node) => node.name === ",")) return first;
  return { kind: "list", items, from: span.from, to: span.to };
}

export function lowerPythonFunction(
  reader: SyntaxReader,
  node: SyntaxNode,
  bodyOf: (reader: SyntaxReader, body: SyntaxNode | undefined) => readonly Statement[],
): FunctionDefinition {
  const children = childrenOf(node);
  const name = childNamed(children, "VariableName");
  const list = childNamed(children, "ParamList");
  const span = spanOf(node);
  const parameters = list === undefined ? [] : lowerParameters(reader, childrenOf(list));
  if (node.name === "LambdaExpression") {
    const result = children.at(-1);
    const value =
      result === undefined || result === list ? unknownOf(node, []) : lowerPythonExpression(reader, result);
    return { name: undefined, parameters, body: [{ kind: "return", value, ...span }], ...span };
  }
  const body = bodyOf(reader, childNamed(children, "Body"));
  return { name: name && reader.nameOf(name), parameters, body, ...span };
}

function lower(reader: SyntaxReader, node: SyntaxNode): Expression {
  const span = spanOf(node);
  switch (node.name) {
    case "VariableName":
    case "PropertyName":
      return { kind: "name", name: reader.nameOf(node), ...span };
    case "Number":
      return { kind: "literal", value: Number(reader.textOf(node).replaceAll("_", "")), ...span };
    case "Boolean":
      return { kind: "literal", value: reader.textOf(node) === "True", ...span };
    case "None":
      return { kind: "literal", value: null, ...span };
    case "String":
      return lowerString(reader.textOf(node), span);
    case "FormatString":
      return lowerFormatString(reader, node);
    case "ContinuedString": {
      const parts = childrenOf(node).map((child) => lowerPythonExpression(reader, child));
      if (parts.every((part) => part.kind === "literal"))
        return {
          kind: "literal",
          value: parts.map((part) => String(part.value)).join(""),
          ...(parts.some((part) => part.isBytes) ? { isBytes: true } : {}),
          ...span,
        };
      return { kind: "concat", parts, template: true, ...span };
    }
    case "ParenthesizedExpression":
      return tupleOf(reader, insideOf(node), span);
    case "TupleExpression":
    case "ArrayExpression":
    case "SetExpression":
      return { kind: "list", items: itemsOf(reader, insideOf(node)), ...span };
    case "DictionaryExpression":
      return lowerDictionary(reader, node);
    case "ComprehensionExpression":
    case "ArrayComprehensionExpression":
    case "SetComprehensionExpression":
    case "DictionaryComprehensionExpression":
      return lowerComprehension(reader, insideOf(node), span);
    case "CallExpression": {
      const [callee, list] = childrenOf(node);
      if (callee === undefined) return unknownOf(node, []);
      return lowerPythonArguments(reader, lowerPythonExpression(reader, callee), list, node);
    }
    case "MemberExpression":
      return lowerMember(reader, node);
    case "BinaryExpression":
      return lowerBinary(reader, node);
    case "LambdaExpression":
      return { kind: "function", definition: lowerPythonFunction(reader, node, () => []), ...span };
    default:
      return lowerRest(reader, node);
  }
}

function lowerString(source: string, span: Span): Expression {
  const value = readPythonString(source);
  return /^[rR]?[bB]/.test(source)
    ? { kind: "literal", value, isBytes: true, ...span }
    : { kind: "literal", value, ...span };
}

function lowerRest(reader: SyntaxReader, node: SyntaxNode): Expression {
  const span = spanOf(node);
  const children = childrenOf(node);
  const [first, second, third, , fifth] = children;
  const inner = (child: SyntaxNode): Expression => lowerPythonExpression(reader, child);
  switch (node.name) {
    case "UnaryExpression":
      if (first !== undefined && second !== undefined)
        return { kind: "unary", operator: reader.textOf(first), operand: inner(second), ...span };
      break;
    case "AwaitExpression":
    case "YieldExpression":
      return tupleOf(reader, children.slice(1), span);
    case "ConditionalExpression":
      if (first !== undefined && third !== undefined && fifth !== undefined)
        return {
          kind: "conditional",
          test: inner(third),
          // biome-ignore lint/suspicious/noThenProperty: the branch of a conditional, not a promise
          then: inner(first),
          otherwise: inner(fifth),
          ...span,
        };
      break;
    case "NamedExpression":
      if (first !== undefined && third !== undefined)
        return { kind: "assign", target: inner(first), value: inner(third), ...span };
      break;
  }
  return unknownOf(node, children.map(inner));
}

function insideOf(node: SyntaxNode): SyntaxNode[] {
  return childrenOf(node).filter((child) => !BRACKETS.has(child.name));
}

const BRACKETS: ReadonlySet<string> = new Set(["(", ")", "[", "]", "{", "}"]);

function itemsOf(reader: SyntaxReader, nodes: readonly SyntaxNode[]): readonly Expression[] {
  const items: Expression[] = [];
  let isSpread = false;
  for (const node of nodes) {
    if (node.name === "*" || node.name === "**") isSpread = true;
    else if (node.name !== ",") {
      const value = lowerPythonExpression(reader, node);
      items.push(isSpread ? { kind: "spread", value, from: node.from, to: node.to } : value);
      isSpread = false;
    }
  }
  return items;
}

function lowerParameters(reader: SyntaxReader, nodes: readonly SyntaxNode[]): readonly Parameter[] {
  const parameters: Parameter[] = [];
  let rest: Parameter["rest"] = "none";
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index];
    if (node?.name === "*") rest = "list";
    else if (node?.name === "**") rest = "dictionary";
    else if (node?.name === ",") rest = "none";
    else if (node?.name === "VariableName") {
      const sign = nodes[index + 1]?.name === "TypeDef" ? index + 2 : index + 1;
      const fallback = nodes[sign]?.name === "AssignOp" ? nodes[sign + 1] : undefined;
      parameters.push({
        target: lowerPythonExpression(reader, node),
        fallback: fallback === undefined ? undefined : lowerPythonExpression(reader, fallback),
        rest,
      });
      if (fallback !== undefined) index = sign + 1;
    }
  }
  return parameters;
}

function lowerFormatString(reader: SyntaxReader, node: SyntaxNode): Expression {
  const parts: Expression[] = [];
  const start = /^[a-zA-Z]{0,2}("""|'''|"|')/.exec(reader.textOf(node));
  let at = node.from + (start?.[0].length ?? 0);
  const quote = start?.[1]?.length ?? 1;
  const addText = (to: number): void => {
    if (to <= at) return;
    const value = readEscapes(reader.text.slice(at, to)).replaceAll("{{", "{").replaceAll("}}", "}");
    parts.push({ kind: "literal", value, from: at, to });
  };
  for (const child of childrenOf(node)) {
    if (child.name !== "FormatReplacement") continue;
    addText(child.from);
    const inside = insideOf(child).filter(
      (part) => !part.name.startsWith("Format") || part.name === "FormatString",
    );
    parts.push(tupleOf(reader, inside, { from: child.from, to: child.to }));
    at = child.to;
  }
  addText(Math.max(at, node.to - quote));
  return { kind: "concat", parts, template: true, from: node.from, to: node.to };
}

function lowerDictionary(reader: SyntaxReader, node: SyntaxNode): Expression {
  const entries: DictionaryEntry[] = [];
  let key: Expression | undefined;
  for (const child of insideOf(node)) {
    if (child.name === "**" || child.name === "," || child.name === ":") continue;
    const value = lowerPythonExpression(reader, child);
    const next = child.nextSibling?.name;
    if (next === ":") key = value;
    else {
      entries.push({ key, value });
      if (key?.kind === "literal") reader.say(String(key.value), value);
      key = undefined;
    }
  }
  return { kind: "dictionary", entries, from: node.from, to: node.to };
}

function lowerComprehension(reader: SyntaxReader, nodes: readonly SyntaxNode[], span: Span): Expression {
  const firstFor = nodes.findIndex((node) => node.name === "for" || node.name === "async");
  const head = nodes.slice(0, firstFor).filter((node) => node.name !== "**" && node.name !== "*");
  const clauses: { target: Expression; iterable: Expression }[] = [];
  const conditions: Expression[] = [];
  for (let index = firstFor; index < nodes.length; index++) {
    const name = nodes[index]?.name;
    const next = nodes[index + 1];
    if (name === "for") {
      const at = nodes.findIndex((node, position) => position > index && node.name === "in");
      const iterable = nodes[at + 1];
      if (at === -1 || iterable === undefined) break;
      clauses.push({
        target: tupleOf(reader, nodes.slice(index + 1, at), span),
        iterable: lowerPythonExpression(reader, iterable),
      });
      index = at + 1;
    } else if (name === "if" && next !== undefined) conditions.push(lowerPythonExpression(reader, next));
  }
  const colon = head.findIndex((node) => node.name === ":");
  const [first] = head;
  const element = colon === -1 ? first : head[colon + 1];
  if (element === undefined) return { kind: "unknown", parts: [], ...span };
  return {
    kind: "comprehension",
    clauses,
    conditions,
    ...(colon > 0 && first !== undefined ? { key: lowerPythonExpression(reader, first) } : {}),
    element: lowerPythonExpression(reader, element),
    ...span,
  };
}

/** Reads a call of something that was read already; decorators are calls, too. */
export function lowerPythonArguments(
  reader: SyntaxReader,
  callee: Expression,
  list: SyntaxNode | undefined,
  node: SyntaxNode,
): Expression {
  const span = spanOf(node);
  const positional: Expression[] = [];
  const keywords: Keyword[] = [];
  const nodes = list === undefined ? [] : insideOf(list);
  const loop = nodes.findIndex((child) => child.name === "for");
  if (loop !== -1 && !nodes.slice(0, loop).some((child) => child.name === ",")) {
    positional.push(lowerComprehension(reader, nodes, span));
    return { kind: "call", callee, positional, keywords, ...span };
  }
  for (let index = 0; index < nodes.length; index++) {
    const child = nodes[index];
    const value = nodes[index + 2];
    if (child === undefined || child.name === ",") continue;
    if (nodes[index + 1]?.name === "AssignOp" && value !== undefined) {
      const keyword = { name: reader.nameOf(child), value: lowerPythonExpression(reader, value) };
      keywords.push(keyword);
      reader.say(keyword.name, keyword.value);
      index += 2;
    } else if ((child.name === "*" || child.name === "**") && nodes[index + 1] !== undefined) {
      positional.push(...itemsOf(reader, nodes.slice(index, index + 2)));
      index += 1;
    } else positional.push(lowerPythonExpression(reader, child));
  }
  return { kind: "call", callee, positional, keywords, ...span };
}

function lowerMember(reader: SyntaxReader, node: SyntaxNode): Expression {
  const [object, sign, ...rest] = childrenOf(node);
  const span = spanOf(node);
  if (object === undefined || sign === undefined) return unknownOf(node, []);
  const base = lowerPythonExpression(reader, object);
  const [first] = rest;
  if (sign.name === ".")
    return {
      kind: "member",
      object: base,
      property: first === undefined ? "" : reader.nameOf(first),
      ...span,
    };
  const inside = rest.filter((child) => child.name !== "]");
  if (inside.some((child) => child.name === ":")) {
    const bounds: (Expression | undefined)[] = [undefined];
    for (const child of inside) {
      if (child.name === ":") bounds.push(undefined);
      else if (child.name !== ",") bounds[bounds.length - 1] = lowerPythonExpression(reader, child);
    }
    return { kind: "slice", object: base, bounds, ...span };
  }
  return { kind: "index", object: base, index: tupleOf(reader, inside, span), ...span };
}

/** Walks down the left side of a chain in a loop: generated code has chains of thousands of `+`. */
function lowerBinary(reader: SyntaxReader, node: SyntaxNode): Expression {
  const steps: { readonly operator: string; readonly right: SyntaxNode }[] = [];
  let left: SyntaxNode = node;
  while (left.name === "BinaryExpression") {
    const children = childrenOf(left);
    const [first] = children;
    const last = children.at(-1);
    if (first === undefined || last === undefined || children.length < 3) break;
    const operator = children
      .slice(1, -1)
      .map((child) => reader.textOf(child))
      .join(" ");
    steps.push({ operator, right: last });
    left = first;
  }
  if (left.name === "BinaryExpression") return unknownOf(node, []);
  return chainOperators(
    lowerPythonExpression(reader, left),
    steps.reverse().map(({ operator, right }) => ({ operator, right: lowerPythonExpression(reader, right) })),
  );
}
