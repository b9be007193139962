import type { SyntaxNode } from "@lezer/common";
import { parser as javascript } from "@lezer/javascript";
import { parser as python } from "@lezer/python";
import type { SourceText } from "../../text/source-text.ts";
import type { Span } from "../fact-writer.ts";
import { JAVASCRIPT_API } from "./javascript-api.ts";
import {
  lowerCall,
  lowerClass,
  lowerExpression,
  lowerFunction,
  propertyNameOf,
  tupleOf,
} from "./lower-expression.ts";
import {
  type Expression,
  type ImportedName,
  NESTED,
  type Program,
  type Statement,
  type Statements,
} from "./program-tree.ts";
import { PYTHON_API } from "./python-api.ts";
import {
  assignment,
  childNamed,
  childrenOf,
  type Nodes,
  parseBounded,
  readMargins,
  readString,
  SyntaxReader,
  spanOf,
  unknownOf,
} from "./syntax-reader.ts";

const PARSERS = {
  python,
  javascript: javascript.configure({ dialect: "jsx" }),
  typescript: javascript.configure({ dialect: "ts jsx" }),
};

/** Reads a program into the form that the evaluator follows; anything but Python is read as JavaScript. */
export function lowerProgram({ text, language }: Pick<SourceText, "text" | "language">): Program {
  const dialect = language === "python" || language === "typescript" ? language : "javascript";
  const { roots, isCut } = parseBounded(PARSERS[dialect], text);
  const reader = new SyntaxReader(text, dialect === "python" ? "python" : "javascript");
  const body = roots.flatMap((root) => lowerBlock(reader, childrenOf(root)));
  const margins = readMargins(roots, text);
  return {
    language: reader.language,
    api: reader.language === "python" ? PYTHON_API : JAVASCRIPT_API,
    body,
    remarks: [...margins.comments, ...reader.sayings].sort((left, right) => left.from - right.from),
    errorCharacters: margins.errorCharacters,
    cut: isCut || reader.isCut ? NESTED : undefined,
  };
}

export function lowerBlock(reader: SyntaxReader, nodes: Nodes): Statements {
  return nodes.flatMap((node) => reader.nested(() => lowerStatement(reader, node)) ?? []);
}

function lowerStatement(reader: SyntaxReader, node: SyntaxNode): Statements {
  const children = childrenOf(node).filter((child) => child.name !== ";");
  const span = spanOf(node);
  switch (node.name) {
    case "AssignStatement":
      return lowerAssignment(reader, children, span);
    case "UpdateStatement": {
      const at = children.findIndex((child) => child.name === "UpdateOp");
      const operator = children[at] === undefined ? "=" : reader.textOf(children[at]);
      const target = tupleOf(reader, children.slice(0, at), span);
      return [declare(target, tupleOf(reader, children.slice(at + 1), span), span, operator)];
    }
    case "VariableDeclaration":
    case "PropertyDeclaration":
      return lowerDeclarations(reader, children);
    case "ExpressionStatement":
      return lowerPlain(reader, children, span);
    case "ReturnStatement":
    case "YieldStatement":
    case "ThrowStatement":
      return [{ kind: "return", value: children[1] && tupleOf(reader, children.slice(1), span), ...span }];
    case "PrintStatement":
    case "RaiseStatement":
    case "AssertStatement":
    case "DeleteStatement":
      return [{ kind: "expression", value: tupleOf(reader, children.slice(1), span), ...span }];
    case "ImportStatement":
      return lowerPythonImport(reader, node);
    case "ImportDeclaration":
      return lowerImport(reader, children, span);
    case "ExportDeclaration":
      return lowerExport(reader, children, span);
    case "ScopeStatement": {
      const names = children.filter((child) => child.name === "VariableName");
      return [{ kind: "global", names: names.map((child) => reader.textOf(child)), ...span }];
    }
    case "IfStatement":
    case "SwitchStatement":
    case "MatchStatement":
    case "WhileStatement":
    case "DoStatement":
      return lowerBranches(reader, node, children);
    case "ForStatement":
      return lowerFor(reader, children, span);
    case "WithStatement":
      return lowerWith(reader, children);
    case "FunctionDefinition":
    case "FunctionDeclaration":
      return [{ kind: "function", definition: lowerFunction(reader, node), ...span }];
    case "MethodDeclaration": {
      const key = children.find((part) => PROPERTY.test(part.name));
      if (key === undefined) return [];
      const definition = { ...lowerFunction(reader, node), name: propertyNameOf(reader, key) };
      return [{ kind: "function", definition, ...span }];
    }
    case "ClassDefinition":
    case "ClassDeclaration":
      return [{ kind: "class", definition: lowerClass(reader, node), ...span }];
    case "Decorator": {
      if (childNamed(children, "ArgList") === undefined) return [];
      return [{ kind: "expression", value: lowerCall(reader, unknownOf(node, []), node), ...span }];
    }
    default:
      // The effects of a try block also apply in its handlers.
      return BLOCKS.test(node.name) ? lowerBlock(reader, children) : [];
  }
}

const BLOCKS =
  /Body$|Block$|^(?:StatementGroup|DecoratedStatement|MatchClause|TryStatement|CatchClause|FinallyClause|LabeledStatement|NamespaceDeclaration|AmbientDeclaration)$/;
const PROPERTY = /^(?:Private)?PropertyDefinition$|^String$|^Number$/;

function declare(target: Expression, value: Expression, span: Span, operator = "="): Statement {
  return {
    kind: "expression",
    value: { ...assignment(target, operator, value, span), declares: true },
    from: span.from,
    to: span.to,
  };
}

/** Python's `a = b, c = 1`: every group before the last is a target. */
function lowerAssignment(reader: SyntaxReader, children: Nodes, span: Span): Statements {
  const groups: SyntaxNode[][] = [[]];
  for (const child of children) {
    if (child.name === "AssignOp") groups.push([]);
    else if (child.name !== "TypeDef") groups.at(-1)?.push(child);
  }
  const values = groups.pop();
  if (values === undefined || groups.length === 0) return [];
  const value = tupleOf(reader, values, span);
  return groups.map((group) => declare(tupleOf(reader, group, span), value, span));
}

function lowerDeclarations(reader: SyntaxReader, children: Nodes): Statements {
  const statements: Statement[] = [];
  for (let index = 0; index < children.length; index++) {
    const target = children[index];
    if (target === undefined || !DECLARED.test(target.name)) continue;
    let sign = index + 1;
    while (/^(?:TypeAnnotation|Optional|LogicOp)$/.test(children[sign]?.name ?? "")) sign++;
    const value = children[sign]?.name === "Equals" ? children[sign + 1] : undefined;
    if (value === undefined) continue;
    const lowered = lowerExpression(reader, value);
    const span = { from: target.from, to: value.to };
    const name: Expression = PROPERTY.test(target.name)
      ? { kind: "name", name: propertyNameOf(reader, target), ...span }
      : lowerExpression(reader, target);
    statements.push(declare(name, lowered, span));
    index = sign + 1;
  }
  return statements;
}

const DECLARED =
  /^VariableDefinition$|^(?:Private)?PropertyDefinition$|^(?:Object|Array)Pattern$|^String$|^Number$/;

function lowerPlain(reader: SyntaxReader, children: Nodes, span: Span): Statements {
  const value = tupleOf(reader, children, span);
  const isString = value.kind === "literal" && typeof value.value === "string";
  if (reader.language !== "python" || !isString) return [{ kind: "expression", value, ...span }];
  reader.sayings.push({ kind: "docstring", text: String(value.value), ...span });
  return [];
}

function lowerPythonImport(reader: SyntaxReader, node: SyntaxNode): Statements {
  const span = spanOf(node);
  const words = childrenOf(node).map((child) => reader.nameOf(child));
  const at = words.indexOf("import");
  const names = importedNames(words.slice(at + 1));
  if (words[0] === "from") return [{ kind: "import", module: words.slice(1, at).join(""), names, ...span }];
  return names.map(({ imported, local }) => {
    // Without `as`, only the first part of a dotted name is bound, to itself.
    const first = imported.split(".", 1)[0] ?? imported;
    const isRenamed = local !== imported;
    return {
      kind: "import",
      module: isRenamed ? imported : first,
      names: [{ imported: "*", local: isRenamed ? local : first }],
      ...span,
    };
  });
}

/** `{ a, b as c }`, `a.b as c, d`, `default as e`: each name with its local name. */
function importedNames(words: readonly string[]): readonly ImportedName[] {
  return words
    .filter((word) => !/^[(){}]$/.test(word))
    .join(" ")
    .split(" , ")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [name = "", local] = part.replace(/ ?,$/, "").split(/ as /);
      const imported = name.replaceAll(" ", "");
      return { imported, local: local ?? imported };
    });
}

function namesIn(reader: SyntaxReader, group: SyntaxNode | undefined): readonly ImportedName[] {
  if (group === undefined) return [];
  return importedNames(
    childrenOf(group)
      .filter((child) => child.name !== "type")
      .map((child) => propertyNameOf(reader, child)),
  );
}

function lowerImport(reader: SyntaxReader, children: Nodes, span: Span): Statements {
  const from = childNamed(children, "String");
  if (from === undefined) return [];
  const whole = children.filter((child) => child.name === "VariableDefinition");
  const names = [
    ...whole.map((child) => ({ imported: "*", local: reader.textOf(child) })),
    ...namesIn(reader, childNamed(children, "ImportGroup")).map(({ imported, local }) => ({
      imported: imported === "default" ? "*" : imported,
      local,
    })),
  ];
  return [{ kind: "import", module: readString(reader.textOf(from)), names, ...span }];
}

function lowerExport(reader: SyntaxReader, children: Nodes, span: Span): Statements {
  const from = childNamed(children, "String");
  const group = childNamed(children, "ExportGroup");
  const pairs = namesIn(reader, group);
  if (from !== undefined) {
    const names = group === undefined ? [{ imported: "*", local: "*" }] : pairs;
    return [{ kind: "import", module: readString(reader.textOf(from)), names, ...span }];
  }
  const isDefault = children.some((child) => child.name === "default");
  const statements: Statement[] = [];
  const assign = (name: string, value: Expression): void => {
    statements.push(declare({ kind: "name", name, ...span }, value, span));
  };
  for (const child of children) {
    const isDeclaration = child.name.endsWith("Declaration");
    if (isDeclaration) statements.push(...lowerBlock(reader, [child]));
    const name = isDeclaration ? childNamed(childrenOf(child), "VariableDefinition") : undefined;
    if (isDefault && name !== undefined) assign("default", lowerExpression(reader, name));
    else if (/Expression|Function|Name$/.test(child.name) && (isDefault || !isDeclaration))
      assign("default", lowerExpression(reader, child));
  }
  for (const { imported, local } of pairs)
    if (imported !== local) assign(local, { kind: "name", name: imported, ...span });
  return statements;
}

/** Tests and the bodies that depend on them, in source order; the body of a `while` may not run. */
function lowerBranches(reader: SyntaxReader, node: SyntaxNode, children: Nodes): Statements {
  const span = spanOf(node);
  const tests: Expression[] = [];
  const bodies: Statements[] = [];
  for (const child of children) {
    if (BODY.test(child.name)) bodies.push(lowerBlock(reader, [child]));
    else if (/Name|Expr|String/.test(child.name)) tests.push(lowerExpression(reader, child));
  }
  if (node.name === "WhileStatement" || node.name === "DoStatement")
    return [{ kind: "while", test: tests[0], body: bodies.flat(), ...span }];
  const isSure = node.name === "IfStatement";
  return [
    { kind: "branch", tests: isSure ? tests : [{ kind: "unknown", parts: tests, ...span }], bodies, ...span },
  ];
}

const BODY = /Body$|Block$|Statement$|Declaration$/;

function lowerFor(reader: SyntaxReader, children: Nodes, span: Span): Statements {
  const header = children.find((child) => /^For(?:In|Of)?Spec$/.test(child.name));
  const parts = header === undefined ? children : childrenOf(header);
  const body = children
    .filter((child) => BODY.test(child.name))
    .flatMap((child) => lowerBlock(reader, [child]));
  if (header?.name === "ForSpec") return lowerCountedFor(reader, parts, body, span);
  const at = parts.findIndex((child) => child.name === "of" || child.name === "in");
  if (at === -1) return body;
  const head = parts.filter((child) => !LOOP_WORD.test(child.name) && !BODY.test(child.name));
  const sign = parts[at];
  const isBefore = (child: SyntaxNode): boolean => sign !== undefined && child.from < sign.from;
  return [
    {
      kind: "loop",
      target: tupleOf(reader, head.filter(isBefore), span),
      iterable: tupleOf(
        reader,
        head.filter((child) => !isBefore(child)),
        span,
      ),
      over: header?.name === "ForInSpec" ? "keys" : "items",
      body,
      ...span,
    },
  ];
}

const LOOP_WORD = /^(?:for|async|await|of|in|else|let|const|var|[():])$/;

function lowerCountedFor(reader: SyntaxReader, parts: Nodes, body: Statements, span: Span): Statements {
  const declared = childNamed(parts, "VariableDeclaration");
  // A declaration includes its own semicolon.
  const fields: (Expression | undefined)[] = declared === undefined ? [undefined] : [undefined, undefined];
  for (const part of parts) {
    if (part.name === ";") fields.push(undefined);
    else if (part !== declared && part.name !== "(" && part.name !== ")")
      fields[fields.length - 1] = lowerExpression(reader, part);
  }
  const [start, test, update] = fields;
  const step = (value: Expression | undefined): Statements =>
    value === undefined ? [] : [{ kind: "expression", value, ...span }];
  return [
    ...(declared === undefined ? [] : lowerBlock(reader, [declared])),
    ...step(start),
    { kind: "while", test, body: [...body, ...step(update)], ...span },
  ];
}

function lowerWith(reader: SyntaxReader, children: Nodes): Statements {
  const statements: Statement[] = [];
  for (let index = 0; index < children.length; index++) {
    const child = children[index];
    if (child === undefined || /^(?:with|async|,|\(|\))$/.test(child.name)) continue;
    if (BODY.test(child.name)) {
      statements.push(...lowerBlock(reader, [child]));
      continue;
    }
    const value = lowerExpression(reader, child);
    const target = children[index + 1]?.name === "as" ? children[index + 2] : undefined;
    if (target === undefined) statements.push({ kind: "expression", value, from: child.from, to: child.to });
    else {
      const span = { from: child.from, to: target.to };
      statements.push(declare(lowerExpression(reader, target), value, span));
      index += 2;
    }
  }
  return statements;
}
