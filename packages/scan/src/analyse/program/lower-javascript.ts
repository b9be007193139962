import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/javascript";
import { lowerJavascriptExpression, lowerJavascriptFunction } from "./lower-javascript-expression.ts";
import type {
  ClassDefinition,
  DictionaryEntry,
  Expression,
  ImportedName,
  Program,
  Span,
  Statement,
} from "./program-tree.ts";
import {
  childNamed,
  childrenOf,
  declaration,
  parseBounded,
  readJavascriptString,
  readMargins,
  SyntaxReader,
  spanOf,
  unknownOf,
} from "./syntax-reader.ts";

export function lowerJavascript(text: string, dialect: "javascript" | "typescript"): Program {
  const { roots, isCut } = parseBounded(PARSERS[dialect], text);
  const reader = new SyntaxReader(text);
  const body = roots.flatMap((root) => lowerBlock(reader, childrenOf(root)));
  const margins = readMargins(roots, text);
  return {
    body,
    remarks: [...margins.comments, ...reader.sayings].sort((left, right) => left.from - right.from),
    errorCharacters: margins.errorCharacters,
    isCut: isCut || reader.isCut,
  };
}

const PARSERS = {
  javascript: parser.configure({ dialect: "jsx" }),
  typescript: parser.configure({ dialect: "ts jsx" }),
};

export function lowerBody(reader: SyntaxReader, owner: SyntaxNode): readonly Statement[] {
  return lowerBlock(reader, childrenOf(owner));
}

function lowerBlock(reader: SyntaxReader, nodes: readonly SyntaxNode[]): readonly Statement[] {
  return nodes.flatMap((node) => reader.nested(() => lowerStatement(reader, node)) ?? []);
}

function lowerStatement(reader: SyntaxReader, node: SyntaxNode): readonly Statement[] {
  const children = childrenOf(node);
  const span = spanOf(node);
  const lower = (child: SyntaxNode): Expression => lowerJavascriptExpression(reader, child);
  const test = childNamed(children, "ParenthesizedExpression");
  switch (node.name) {
    case "VariableDeclaration":
      return lowerDeclaration(reader, children);
    case "ExpressionStatement":
      return children
        .filter((child) => child.name !== ";")
        .map((child) => ({ kind: "expression", value: lower(child), ...span }));
    case "ReturnStatement":
    case "ThrowStatement": {
      const value = children.slice(1).find((child) => child.name !== ";");
      return [{ kind: "return", value: value && lower(value), ...span }];
    }
    case "FunctionDeclaration":
      return [{ kind: "function", definition: lowerJavascriptFunction(reader, node), ...span }];
    case "ClassDeclaration": {
      const value = lower(node);
      return value.kind === "class" ? [{ kind: "class", definition: value.definition, ...span }] : [];
    }
    case "ImportDeclaration":
      return lowerImport(reader, node);
    case "ExportDeclaration":
      return lowerExport(reader, node);
    case "IfStatement": {
      const parts = children.slice(2).filter((child) => child.name !== "else");
      const bodies = parts.map((child) => lowerBlock(reader, [child]));
      return [{ kind: "branch", test: test && lower(test), bodies, ...span }];
    }
    case "SwitchStatement": {
      const body = childNamed(children, "SwitchBody");
      const bodies = body === undefined ? [] : [lowerBody(reader, body)];
      return [{ kind: "branch", test: test && lower(test), bodies, ...span }];
    }
    case "ForStatement":
      return lowerFor(reader, node);
    case "WhileStatement":
    case "DoStatement":
    case "WithStatement": {
      const rest = children.filter((child) => child !== test);
      const body = lowerBlock(reader, rest);
      return [{ kind: "while", test: test && lower(test), update: undefined, body, ...span }];
    }
    case "Block":
    case "TryStatement":
    case "CatchClause":
    case "FinallyClause":
    case "LabeledStatement":
    case "StaticBlock":
    case "NamespaceDeclaration":
    case "AmbientDeclaration":
      return [{ kind: "block", body: lowerBlock(reader, children), ...span }];
    default:
      return [];
  }
}

function lowerDeclaration(reader: SyntaxReader, children: readonly SyntaxNode[]): readonly Statement[] {
  const statements: Statement[] = [];
  for (let index = 0; index < children.length; index++) {
    const target = children[index];
    if (target === undefined || !PATTERNS.has(target.name)) continue;
    let sign = index + 1;
    while (children[sign] !== undefined && SKIPPED.has(children[sign]?.name ?? "")) sign++;
    const value = children[sign]?.name === "Equals" ? children[sign + 1] : undefined;
    if (value === undefined) continue;
    const lowered = lowerJavascriptExpression(reader, value);
    statements.push(declaration(lowerPattern(reader, target), lowered, { from: target.from, to: value.to }));
    index = sign + 1;
  }
  return statements;
}

const PATTERNS: ReadonlySet<string> = new Set(["VariableDefinition", "ObjectPattern", "ArrayPattern"]);
const SKIPPED: ReadonlySet<string> = new Set(["TypeAnnotation", "Optional", "LogicOp"]);

function lowerImport(reader: SyntaxReader, node: SyntaxNode): readonly Statement[] {
  const children = childrenOf(node);
  const from = childNamed(children, "String");
  if (from === undefined) return [];
  const names: ImportedName[] = [];
  for (const child of children) {
    if (child.name === "VariableDefinition") names.push({ imported: "*", local: reader.textOf(child) });
    else if (child.name === "ImportGroup") names.push(...lowerImportGroup(reader, child));
  }
  return [{ kind: "import", module: readJavascriptString(reader.textOf(from)), names, ...spanOf(node) }];
}

function lowerExport(reader: SyntaxReader, node: SyntaxNode): readonly Statement[] {
  const children = childrenOf(node);
  const span = spanOf(node);
  const from = childNamed(children, "String");
  const group = childNamed(children, "ExportGroup");
  const pairs = group === undefined ? [] : exportedNames(reader, group);
  if (from !== undefined) {
    const names = group === undefined ? [{ imported: "*", local: "*" }] : pairs;
    return [{ kind: "import", module: readJavascriptString(reader.textOf(from)), names, ...span }];
  }
  const isDefault = children.some((child) => child.name === "default");
  const statements: Statement[] = [];
  const assign = (name: string, value: Expression): void => {
    statements.push(declaration({ kind: "name", name, ...span }, value, span));
  };
  for (const child of children) {
    const isDeclaration = child.name.endsWith("Declaration");
    if (isDeclaration) statements.push(...lowerBlock(reader, [child]));
    const name = isDeclaration ? childNamed(childrenOf(child), "VariableDefinition") : undefined;
    if (isDefault && name !== undefined)
      assign("default", { kind: "name", name: reader.textOf(name), ...span });
    else if (isDefault && child.name === "FunctionDeclaration")
      assign("default", { kind: "function", definition: lowerJavascriptFunction(reader, child), ...span });
    else if (!isDeclaration && /Expression|Function|Name$/.test(child.name))
      assign("default", lowerJavascriptExpression(reader, child));
  }
  for (const { imported, local } of pairs)
    if (imported !== local) assign(local, { kind: "name", name: imported, ...span });
  return statements;
}

function exportedNames(reader: SyntaxReader, group: SyntaxNode): readonly ImportedName[] {
  const names: { imported: string; local: string }[] = [];
  let isLocal = false;
  for (const child of childrenOf(group)) {
    const last = names.at(-1);
    if (child.name === "as") isLocal = true;
    else if (!/Name|default|String/.test(child.name)) isLocal = false;
    else if (isLocal && last !== undefined) last.local = reader.textOf(child);
    else names.push({ imported: reader.textOf(child), local: reader.textOf(child) });
  }
  return names;
}

function lowerImportGroup(reader: SyntaxReader, group: SyntaxNode): readonly ImportedName[] {
  const names: ImportedName[] = [];
  let imported: string | undefined;
  for (const child of childrenOf(group)) {
    if (child.name === "VariableDefinition") {
      const local = reader.textOf(child);
      names.push({ imported: imported === "default" ? "*" : (imported ?? local), local });
      imported = undefined;
    } else if (child.name === "VariableName" || child.name === "default") imported = reader.textOf(child);
    else if (child.name === "String") imported = propertyNameOf(reader, child);
  }
  return names;
}

function lowerFor(reader: SyntaxReader, node: SyntaxNode): readonly Statement[] {
  const children = childrenOf(node);
  const span = spanOf(node);
  const header = children.find((child) => /^For(?:In|Of)?Spec$/.test(child.name));
  const rest = children.filter((child) => child !== header);
  const body = lowerBlock(reader, rest);
  if (header === undefined) return [{ kind: "block", body, ...span }];
  const parts = childrenOf(header).filter((child) => child.name !== "(" && child.name !== ")");
  if (header.name === "ForSpec") return lowerCountedFor(reader, parts, body, span);
  const at = parts.findIndex((child) => child.name === "of" || child.name === "in");
  const target = parts[at - 1];
  const iterable = parts[at + 1];
  if (target === undefined || iterable === undefined) return [{ kind: "block", body, ...span }];
  return [
    {
      kind: "loop",
      target: lowerPattern(reader, target),
      iterable: lowerJavascriptExpression(reader, iterable),
      over: header.name === "ForInSpec" ? "keys" : "items",
      body,
      ...span,
    },
  ];
}

function lowerCountedFor(
  reader: SyntaxReader,
  parts: readonly SyntaxNode[],
  body: readonly Statement[],
  span: Span,
): readonly Statement[] {
  const declared = childNamed(parts, "VariableDeclaration");
  // A declaration brings its own semicolon.
  const fields: (Expression | undefined)[] = declared === undefined ? [undefined] : [undefined, undefined];
  for (const part of parts) {
    if (part.name === ";") fields.push(undefined);
    else if (part !== declared) fields[fields.length - 1] = lowerJavascriptExpression(reader, part);
  }
  const [start, test, update] = fields;
  return [
    ...(declared === undefined ? [] : lowerBlock(reader, [declared])),
    ...(start === undefined ? [] : [{ kind: "expression" as const, value: start, ...span }]),
    { kind: "while", test, update, body, ...span },
  ];
}

export function lowerJavascriptClass(reader: SyntaxReader, node: SyntaxNode): ClassDefinition {
  const children = childrenOf(node);
  const name = childNamed(children, "VariableDefinition");
  const body = childNamed(children, "ClassBody");
  const extension = children.findIndex((child) => child.name === "extends");
  const base = extension === -1 ? undefined : children[extension + 1];
  const statements: Statement[] = [];
  for (const item of body === undefined ? [] : childrenOf(body)) {
    const span = spanOf(item);
    if (item.name === "StaticBlock") {
      const inner = childrenOf(item).flatMap((child) => lowerBody(reader, child));
      statements.push({ kind: "block", body: inner, ...span });
      continue;
    }
    const parts = childrenOf(item);
    const key = parts.find((part) => /^(?:Private)?PropertyDefinition$|^String$|^Number$/.test(part.name));
    if (key === undefined) continue;
    const property = propertyNameOf(reader, key);
    if (item.name === "MethodDeclaration") {
      const definition = { ...lowerJavascriptFunction(reader, item), name: property };
      statements.push({ kind: "function", definition, ...span });
    } else if (item.name === "PropertyDeclaration") {
      const at = parts.findIndex((part) => part.name === "Equals");
      const value = at === -1 ? undefined : parts[at + 1];
      if (value === undefined) continue;
      const lowered = lowerJavascriptExpression(reader, value);
      statements.push(declaration({ kind: "name", name: property, ...span }, lowered, span));
    }
  }
  return {
    name: name && reader.textOf(name),
    base: base && lowerJavascriptExpression(reader, base),
    body: statements,
    ...spanOf(node),
  };
}

export function lowerPattern(reader: SyntaxReader, node: SyntaxNode): Expression {
  const span = spanOf(node);
  const inner = (child: SyntaxNode): Expression =>
    reader.nested(() => lowerPattern(reader, child)) ?? unknownOf(child, []);
  if (node.name === "VariableDefinition") return { kind: "name", name: reader.textOf(node), ...span };
  if (node.name === "ArrayPattern") {
    const items: Expression[] = [];
    const children = childrenOf(node);
    for (const [index, child] of children.entries()) {
      if (!/Definition|Pattern/.test(child.name)) continue;
      const value = inner(child);
      items.push(children[index - 1]?.name === "Spread" ? { kind: "spread", value, ...span } : value);
    }
    return { kind: "list", items, ...span };
  }
  if (node.name !== "ObjectPattern") return lowerJavascriptExpression(reader, node);
  const entries: DictionaryEntry[] = [];
  for (const property of childrenOf(node)) {
    if (property.name !== "PatternProperty") continue;
    const parts = childrenOf(property);
    const target = parts.find((part) => /Definition|Pattern$/.test(part.name));
    const [first] = parts;
    if (target === undefined || first === undefined) continue;
    const isRest = first.name === "Spread";
    const key: Expression = { kind: "literal", value: propertyNameOf(reader, first), ...span };
    entries.push({ key: isRest ? undefined : key, value: inner(target) });
  }
  return { kind: "dictionary", entries, ...span };
}

export function propertyNameOf(reader: SyntaxReader, node: SyntaxNode): string {
  const text = reader.textOf(node);
  return node.name === "String" ? readJavascriptString(text) : text;
}
