import type { SyntaxNode } from "@lezer/common";
import type { Span } from "../fact-writer.ts";
import { readEscapes } from "../read-escapes.ts";
import { lowerBlock } from "./lower-program.ts";
import type {
  ClassDefinition,
  DictionaryEntry,
  Expression,
  FunctionDefinition,
  Keyword,
  Parameter,
  Statements,
} from "./program-tree.ts";
import {
  assignment,
  chainOperators,
  childNamed,
  childrenOf,
  type Nodes,
  readString,
  type SyntaxReader,
  spanOf,
  unknownOf,
} from "./syntax-reader.ts";

/** Python and JavaScript share most node names; cases for only one of them are beside the shared ones. */
export function lowerExpression(reader: SyntaxReader, node: SyntaxNode): Expression {
  return reader.nested(() => lower(reader, node)) ?? unknownOf(node, []);
}

function lower(reader: SyntaxReader, node: SyntaxNode): Expression {
  const span = spanOf(node);
  switch (node.name) {
    case "VariableName":
    case "VariableDefinition":
    case "PropertyName":
    case "this":
    case "super":
      return { kind: "name", name: reader.nameOf(node), ...span };
    case "Number":
      return { kind: "literal", value: Number(reader.textOf(node).replace(/_|n$/g, "")), ...span };
    case "Boolean":
    case "BooleanLiteral":
      return { kind: "literal", value: /^true$/i.test(reader.textOf(node)), ...span };
    case "None":
    case "null":
      return { kind: "literal", value: null, ...span };
    case "String": {
      const text = reader.textOf(node);
      const isBytes = /^[rR]?[bB]/.test(text) ? { isBytes: true } : {};
      return { kind: "literal", value: readString(text), ...isBytes, ...span };
    }
    case "FormatString":
    case "TemplateString":
      return lowerTemplate(reader, node);
    case "ParenthesizedExpression":
      return tupleOf(reader, insideOf(node), span);
    case "TupleExpression":
    case "ArrayExpression":
    case "SetExpression":
      return { kind: "list", items: itemsOf(reader, insideOf(node)), ...span };
    case "ArrayPattern": {
      const parts = childrenOf(node).filter(({ name }) => /Definition|Pattern|Spread/.test(name));
      return { kind: "list", items: itemsOf(reader, parts), ...span };
    }
    case "DictionaryExpression":
      return lowerDictionary(reader, node);
    case "ObjectExpression":
    case "ObjectPattern":
      return lowerObject(reader, node);
    case "ComprehensionExpression":
    case "ArrayComprehensionExpression":
    case "SetComprehensionExpression":
    case "DictionaryComprehensionExpression":
      return lowerComprehension(reader, insideOf(node), span);
    case "MemberExpression":
      return lowerMember(reader, node);
    case "BinaryExpression":
      return lowerBinary(reader, node);
    case "LambdaExpression":
    case "ArrowFunction":
    case "FunctionExpression":
    case "FunctionDeclaration":
      return { kind: "function", definition: lowerFunction(reader, node), ...span };
    case "ClassExpression":
      return { kind: "class", definition: lowerClass(reader, node), ...span };
    default:
      return lowerRest(reader, node);
  }
}

function lowerRest(reader: SyntaxReader, node: SyntaxNode): Expression {
  const span = spanOf(node);
  const children = childrenOf(node);
  const inner = (child: SyntaxNode): Expression => lowerExpression(reader, child);
  const [first, second, third, , fifth] = children;
  switch (node.name) {
    case "CallExpression":
    case "NewExpression": {
      const callee = children.find(({ name }) => name !== "new");
      const target = callee === undefined ? unknownOf(node, []) : inner(callee);
      return lowerCall(reader, target, node);
    }
    case "TaggedTemplateExpression": {
      if (first === undefined || second === undefined) break;
      return callOf(lowerTag(reader, first), [inner(second)], span);
    }
    case "DynamicImport": {
      const given = insideOf(node).filter(({ name }) => name !== "import");
      return callOf({ kind: "name", name: "import", ...span }, given.map(inner), span);
    }
    case "ContinuedString":
      return lowerContinued(children.map(inner), span);
    case "UnaryExpression":
    case "PostfixExpression":
      if (first === undefined || second === undefined) break;
      if (node.name === "UnaryExpression") return lowerUnary(reader.textOf(first), inner(second), span);
      // `x!` only says that x is present.
      return reader.textOf(second) === "!"
        ? inner(first)
        : lowerUnary(reader.textOf(second), inner(first), span);
    case "PrefixCast":
      return tupleOf(reader, children.slice(-1), span);
    case "AwaitExpression":
    case "YieldExpression": {
      const given = children.slice(1).filter(({ name }) => name !== "Star");
      return tupleOf(reader, given, span);
    }
    case "InstantiationExpression":
      if (first !== undefined) return inner(first);
      break;
    case "SequenceExpression":
      return { kind: "sequence", items: itemsOf(reader, children), ...span };
    case "ConditionalExpression": {
      if (first === undefined || third === undefined || fifth === undefined) break;
      const [test, one] = reader.language === "python" ? [third, first] : [first, third];
      // biome-ignore lint/suspicious/noThenProperty: the branch of a conditional, not a promise
      return { kind: "conditional", test: inner(test), then: inner(one), otherwise: inner(fifth), ...span };
    }
    case "NamedExpression":
    case "AssignmentExpression":
      if (first === undefined || second === undefined || third === undefined) break;
      return assignment(inner(first), reader.textOf(second).replace(":=", "="), inner(third), span);
  }
  return unknownOf(node, children.map(inner));
}

function lowerContinued(parts: readonly Expression[], span: Span): Expression {
  if (!parts.every((part) => part.kind === "literal"))
    return { kind: "concat", parts, template: true, ...span };
  const isBytes = parts.some((part) => part.isBytes) ? { isBytes: true } : {};
  return { kind: "literal", value: parts.map((part) => String(part.value)).join(""), ...isBytes, ...span };
}

/** Ignores that `i++` gives the previous value. */
function lowerUnary(operator: string, operand: Expression, span: Span): Expression {
  if (operator !== "++" && operator !== "--") return { kind: "unary", operator, operand, ...span };
  return assignment(operand, `${operator.slice(1)}=`, { kind: "literal", value: 1, ...span }, operand);
}

export function tupleOf(reader: SyntaxReader, nodes: Nodes, span: Span): Expression {
  const items = itemsOf(reader, nodes);
  const [first] = items;
  if (items.length === 1 && first !== undefined && !nodes.some((node) => node.name === ",")) return first;
  return { kind: "list", items, from: span.from, to: span.to };
}

function itemsOf(reader: SyntaxReader, nodes: Nodes): readonly Expression[] {
  const items: Expression[] = [];
  let isSpread = false;
  for (const node of nodes) {
    if (SPREADS.has(node.name)) isSpread = true;
    else if (node.name !== ",") {
      const value = lowerExpression(reader, node);
      items.push(isSpread ? { kind: "spread", value, from: node.from, to: node.to } : value);
      isSpread = false;
    }
  }
  return items;
}

const SPREADS: ReadonlySet<string> = new Set(["*", "**", "Spread"]);
const BRACKETS: ReadonlySet<string> = new Set(["(", ")", "[", "]", "{", "}"]);

function insideOf(node: SyntaxNode): SyntaxNode[] {
  return childrenOf(node).filter((child) => !BRACKETS.has(child.name));
}

/** The template tag `$` is a global in shell scripting libraries. */
function lowerTag(reader: SyntaxReader, node: SyntaxNode): Expression {
  if (reader.textOf(node) !== "$") return lowerExpression(reader, node);
  const library: Expression = { kind: "name", name: "zx", ...spanOf(node) };
  return { kind: "member", object: library, property: "$", ...spanOf(node) };
}

export function lowerFunction(reader: SyntaxReader, node: SyntaxNode): FunctionDefinition {
  const children = childrenOf(node);
  const span = spanOf(node);
  const name = childNamed(
    children,
    node.name === "FunctionDefinition" ? "VariableName" : "VariableDefinition",
  );
  const list = childNamed(children, "ParamList");
  const parameters = list === undefined ? [] : lowerParameters(reader, childrenOf(list));
  const block = childNamed(children, "Block") ?? childNamed(children, "Body");
  const last = children.at(-1);
  const isResult = node.name === "LambdaExpression" || childNamed(children, "Arrow") !== undefined;
  let body: Statements = [];
  if (block !== undefined) body = lowerBlock(reader, [block]);
  else if (isResult && last !== undefined && last !== list)
    body = [{ kind: "return", value: lowerExpression(reader, last), ...span }];
  return { name: name && reader.nameOf(name), parameters, body, ...span };
}

function lowerParameters(reader: SyntaxReader, nodes: Nodes): readonly Parameter[] {
  const parameters: Parameter[] = [];
  let isRest = false;
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index];
    if (node === undefined || node.name === ",") isRest = false;
    else if (node.name === "*" || node.name === "Spread") isRest = true;
    else if (/^Variable|Pattern$/.test(node.name)) {
      let sign = index + 1;
      while (/^(?:TypeDef|TypeAnnotation|Optional)$/.test(nodes[sign]?.name ?? "")) sign++;
      const fallback = /^(?:AssignOp|Equals)$/.test(nodes[sign]?.name ?? "") ? nodes[sign + 1] : undefined;
      parameters.push({
        target: lowerExpression(reader, node),
        fallback: fallback && lowerExpression(reader, fallback),
        isRest,
      });
      if (fallback !== undefined) index = sign + 1;
    }
  }
  return parameters;
}

export function lowerClass(reader: SyntaxReader, node: SyntaxNode): ClassDefinition {
  const children = childrenOf(node);
  const name = children.find((child) => /^Variable/.test(child.name));
  const list = childNamed(children, "ArgList");
  const extension = children.findIndex((child) => child.name === "extends");
  const base = list
    ? childrenOf(list).find((child) => /Name|Expr/.test(child.name))
    : extension === -1
      ? undefined
      : children[extension + 1];
  const body = childNamed(children, "Body") ?? childNamed(children, "ClassBody");
  return {
    name: name && reader.textOf(name),
    base: base && lowerExpression(reader, base),
    body: body === undefined ? [] : lowerBlock(reader, [body]),
    ...spanOf(node),
  };
}

function lowerTemplate(reader: SyntaxReader, node: SyntaxNode): Expression {
  const span = spanOf(node);
  const parts: Expression[] = [];
  const [start = "", quote = ""] = /^[a-zA-Z]{0,2}("""|'''|"|'|`)/.exec(reader.textOf(node)) ?? [];
  const isFormat = node.name === "FormatString";
  let at = node.from + start.length;
  const addText = (to: number): void => {
    if (to <= at) return;
    const text = readEscapes(reader.text.slice(at, to));
    const value = isFormat ? text.replaceAll("{{", "{").replaceAll("}}", "}") : text;
    parts.push({ kind: "literal", value, from: at, to });
  };
  for (const child of childrenOf(node)) {
    if (child.name !== "Interpolation" && child.name !== "FormatReplacement") continue;
    addText(child.from);
    const inside = insideOf(child).filter(
      ({ name }) => name === "FormatString" || !/^Format|^Interpol/.test(name),
    );
    parts.push(tupleOf(reader, inside, child));
    at = child.to;
  }
  const isClosed = reader.text.startsWith(quote, node.to - quote.length);
  addText(Math.max(at, isClosed ? node.to - quote.length : node.to));
  const [only] = parts;
  if (!isFormat && parts.length < 2 && (only === undefined || only.kind === "literal"))
    return { kind: "literal", value: only?.value ?? "", ...span };
  return { kind: "concat", parts, template: true, ...span };
}

function lowerDictionary(reader: SyntaxReader, node: SyntaxNode): Expression {
  const entries: DictionaryEntry[] = [];
  let key: Expression | undefined;
  for (const child of insideOf(node)) {
    if (child.name === "**" || child.name === "," || child.name === ":") continue;
    const value = lowerExpression(reader, child);
    if (child.nextSibling?.name === ":") key = value;
    else {
      entries.push({ key, value });
      if (key?.kind === "literal") reader.say(String(key.value), value);
      key = undefined;
    }
  }
  return { kind: "dictionary", entries, from: node.from, to: node.to };
}

function lowerObject(reader: SyntaxReader, node: SyntaxNode): Expression {
  const entries: DictionaryEntry[] = [];
  for (const property of childrenOf(node)) {
    if (!property.name.endsWith("Property")) continue;
    const parts = childrenOf(property).filter((part) => !/^(?:async|get|set|Star)$/.test(part.name));
    const [first, second] = parts;
    const last =
      property.name === "Property"
        ? parts.at(-1)
        : parts.find(({ name }) => /Definition|Pattern$/.test(name));
    if (first === undefined || last === undefined) continue;
    const span = spanOf(property);
    if (first.name === "Spread") {
      entries.push({ key: undefined, value: lowerExpression(reader, last) });
      continue;
    }
    const key: Expression =
      first.name === "[" && second !== undefined
        ? lowerExpression(reader, second)
        : { kind: "literal", value: propertyNameOf(reader, first), ...span };
    let value: Expression;
    if (parts.some((part) => part.name === "ParamList"))
      value = { kind: "function", definition: lowerFunction(reader, property), ...span };
    else if (parts.length === 1) value = { kind: "name", name: reader.textOf(first), ...span };
    else value = lowerExpression(reader, last);
    entries.push({ key, value });
    if (key.kind === "literal") reader.say(String(key.value), value);
  }
  return { kind: "dictionary", entries, from: node.from, to: node.to };
}

export function propertyNameOf(reader: SyntaxReader, node: SyntaxNode): string {
  const text = reader.textOf(node);
  return node.name === "String" ? readString(text) : text;
}

function lowerComprehension(reader: SyntaxReader, nodes: Nodes, span: Span): Expression {
  const firstFor = nodes.findIndex((node) => node.name === "for" || node.name === "async");
  const head = nodes.slice(0, firstFor).filter((node) => !SPREADS.has(node.name));
  const clauses: { target: Expression; iterable: Expression }[] = [];
  const conditions: Expression[] = [];
  for (let index = firstFor; index < nodes.length; index++) {
    const name = nodes[index]?.name;
    const next = nodes[index + 1];
    if (name === "for") {
      const at = nodes.findIndex((node, position) => position > index && node.name === "in");
      const iterable = nodes[at + 1];
      if (at === -1 || iterable === undefined) break;
      const target = tupleOf(reader, nodes.slice(index + 1, at), span);
      clauses.push({ target, iterable: lowerExpression(reader, iterable) });
      index = at + 1;
    } else if (name === "if" && next !== undefined) conditions.push(lowerExpression(reader, next));
  }
  const colon = head.findIndex((node) => node.name === ":");
  const [first] = head;
  const element = colon === -1 ? first : head[colon + 1];
  if (element === undefined) return { kind: "unknown", parts: [], ...span };
  return {
    kind: "comprehension",
    clauses,
    conditions,
    ...(colon > 0 && first !== undefined ? { key: lowerExpression(reader, first) } : {}),
    element: lowerExpression(reader, element),
    ...span,
  };
}

/** Reads a call whose callee was read already; decorators are calls, too. */
export function lowerCall(reader: SyntaxReader, callee: Expression, node: SyntaxNode): Expression {
  const span = spanOf(node);
  const list = childNamed(childrenOf(node), "ArgList");
  const nodes = list === undefined ? [] : insideOf(list);
  const loop = nodes.findIndex((child) => child.name === "for");
  if (loop !== -1 && !nodes.slice(0, loop).some((child) => child.name === ",")) {
    return callOf(callee, [lowerComprehension(reader, nodes, span)], span);
  }
  const keywords: Keyword[] = [];
  const plain: SyntaxNode[] = [];
  for (let index = 0; index < nodes.length; index++) {
    const child = nodes[index];
    const value = nodes[index + 2];
    if (child === undefined) continue;
    if (nodes[index + 1]?.name === "AssignOp" && value !== undefined) {
      const keyword = { name: reader.nameOf(child), value: lowerExpression(reader, value) };
      keywords.push(keyword);
      reader.say(keyword.name, keyword.value);
      index += 2;
    } else plain.push(child);
  }
  return callOf(callee, itemsOf(reader, plain), span, keywords);
}

function callOf(
  callee: Expression,
  positional: readonly Expression[],
  { from, to }: Span,
  keywords: readonly Keyword[] = [],
): Expression {
  return { kind: "call", callee, positional, keywords, from, to };
}

function lowerMember(reader: SyntaxReader, node: SyntaxNode): Expression {
  const [object, ...rest] = childrenOf(node);
  const span = spanOf(node);
  if (object === undefined) return unknownOf(node, []);
  const base = lowerExpression(reader, object);
  const bracket = rest.findIndex((child) => child.name === "[");
  const last = rest.at(-1);
  if (bracket === -1)
    return { kind: "member", object: base, property: last === undefined ? "" : reader.nameOf(last), ...span };
  const inside = rest.slice(bracket + 1).filter((child) => child.name !== "]");
  if (!inside.some((child) => child.name === ":"))
    return { kind: "index", object: base, index: tupleOf(reader, inside, span), ...span };
  const bounds: (Expression | undefined)[] = [undefined];
  for (const child of inside) {
    if (child.name === ":") bounds.push(undefined);
    else if (child.name !== ",") bounds[bounds.length - 1] = lowerExpression(reader, child);
  }
  return { kind: "slice", object: base, bounds, ...span };
}

/** Walks down the left side of a chain in a loop: generated code has chains of thousands of `+`. */
function lowerBinary(reader: SyntaxReader, node: SyntaxNode): Expression {
  const steps: { readonly operator: string; readonly right: SyntaxNode }[] = [];
  let left = node;
  while (left.name === "BinaryExpression") {
    const children = childrenOf(left);
    const [first] = children;
    const last = children.at(-1);
    if (first === undefined || last === undefined || children.length < 3) return unknownOf(node, []);
    const operator = children
      .slice(1, -1)
      .map((child) => reader.textOf(child))
      .join(" ");
    // `x as T` and `x satisfies T` are x.
    if (operator !== "as" && operator !== "satisfies") steps.push({ operator, right: last });
    left = first;
  }
  return chainOperators(
    lowerExpression(reader, left),
    steps.reverse().map(({ operator, right }) => ({ operator, right: lowerExpression(reader, right) })),
  );
}
