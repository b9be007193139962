import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/python";
import {
  lowerPythonArguments,
  lowerPythonExpression,
  lowerPythonFunction,
  tupleOf,
} from "./lower-python-expression.ts";
import type { Expression, ImportedName, Program, Remark, Statement } from "./program-tree.ts";
import { childrenOf, parseBounded, readMargins, SyntaxReader, unknownOf } from "./syntax-reader.ts";

export function lowerPython(text: string): Program {
  const { roots, isCut } = parseBounded(parser, text);
  const reader = new SyntaxReader(text);
  const remarks: Remark[] = [];
  const body = roots.flatMap((root) => lowerBlock(reader, childrenOf(root), remarks));
  const margins = readMargins(roots, text);
  return {
    body,
    remarks: [...remarks, ...reader.sayings, ...margins.comments].sort(
      (left, right) => left.from - right.from,
    ),
    errorCharacters: margins.errorCharacters,
    isCut: isCut || reader.isCut,
  };
}

function lowerBlock(
  reader: SyntaxReader,
  nodes: readonly SyntaxNode[],
  remarks: Remark[],
): readonly Statement[] {
  const statements: Statement[] = [];
  for (const node of nodes)
    statements.push(...(reader.nested(() => lowerStatement(reader, node, remarks)) ?? []));
  return statements;
}

function lowerStatement(reader: SyntaxReader, node: SyntaxNode, remarks: Remark[]): readonly Statement[] {
  const children = childrenOf(node);
  const span = { from: node.from, to: node.to };
  const bodyOf = (owner: SyntaxNode): readonly Statement[] => lowerBlock(reader, childrenOf(owner), remarks);
  switch (node.name) {
    case "AssignStatement":
      return lowerAssignment(reader, node, children);
    case "UpdateStatement": {
      const at = children.findIndex((child) => child.name === "UpdateOp");
      const operator = children[at] === undefined ? "=" : reader.textOf(children[at]);
      const target = tupleOf(reader, children.slice(0, at), span);
      const value = tupleOf(reader, children.slice(at + 1), span);
      return [{ kind: "assign", target, value, operator, declares: true, ...span }];
    }
    case "ExpressionStatement":
      if (
        children.length === 1 &&
        (children[0]?.name === "String" || children[0]?.name === "ContinuedString")
      ) {
        const value = lowerPythonExpression(reader, children[0]);
        if (value.kind === "literal" && typeof value.value === "string")
          remarks.push({ kind: "docstring", text: value.value, ...span });
        return [];
      }
      return [{ kind: "expression", value: tupleOf(reader, children, span), ...span }];
    case "StatementGroup":
      return lowerBlock(
        reader,
        children.filter((child) => child.name !== ";"),
        remarks,
      );
    case "ReturnStatement":
    case "YieldStatement":
      return [
        {
          kind: "return",
          value: children.length > 1 ? tupleOf(reader, children.slice(1), span) : undefined,
          ...span,
        },
      ];
    case "ImportStatement":
      return lowerImport(reader, node, children);
    case "ScopeStatement":
      return [
        {
          kind: "global",
          names: children
            .filter((child) => child.name === "VariableName")
            .map((child) => reader.textOf(child)),
          ...span,
        },
      ];
    case "IfStatement":
    case "TryStatement":
    case "WhileStatement":
    case "MatchStatement":
      return lowerBranches(reader, node, children, remarks);
    case "ForStatement":
      return lowerFor(reader, node, children, bodyOf);
    case "WithStatement":
      return lowerWith(reader, node, children, bodyOf);
    case "FunctionDefinition":
      return [
        {
          kind: "function",
          definition: lowerPythonFunction(reader, node, (body) => bodyOf(body)),
          ...span,
        },
      ];
    case "ClassDefinition": {
      const name = children.find((child) => child.name === "VariableName");
      const list = children.find((child) => child.name === "ArgList");
      const base =
        list === undefined ? undefined : childrenOf(list).find((child) => /Name|Expr/.test(child.name));
      const body = children.find((child) => child.name === "Body");
      return [
        {
          kind: "class",
          definition: {
            name: name === undefined ? undefined : reader.textOf(name),
            base: base === undefined ? undefined : lowerPythonExpression(reader, base),
            body: body === undefined ? [] : bodyOf(body),
            ...span,
          },
          ...span,
        },
      ];
    }
    case "DecoratedStatement":
      return lowerBlock(reader, children, remarks);
    case "Decorator": {
      const list = children.find((child) => child.name === "ArgList");
      if (list === undefined) return [];
      const value = lowerPythonArguments(reader, unknownOf(node, []), list, node);
      return [{ kind: "expression", value, ...span }];
    }
    case "MatchBody":
    case "MatchClause":
    case "Body":
      return lowerBlock(reader, children, remarks);
    case "PrintStatement":
    case "RaiseStatement":
    case "AssertStatement":
    case "DeleteStatement":
      return [{ kind: "expression", value: tupleOf(reader, children.slice(1), span), ...span }];
    default:
      return [];
  }
}

function lowerAssignment(
  reader: SyntaxReader,
  node: SyntaxNode,
  children: readonly SyntaxNode[],
): readonly Statement[] {
  const groups: SyntaxNode[][] = [[]];
  for (const child of children) {
    if (child.name === "AssignOp") groups.push([]);
    else if (child.name !== "TypeDef") groups.at(-1)?.push(child);
  }
  const span = { from: node.from, to: node.to };
  const values = groups.pop();
  if (values === undefined || groups.length === 0) return [];
  const value = tupleOf(reader, values, span);
  return groups.map((group) => ({
    kind: "assign",
    target: tupleOf(reader, group, span),
    value,
    operator: "=",
    declares: true,
    ...span,
  }));
}

function lowerImport(
  reader: SyntaxReader,
  node: SyntaxNode,
  children: readonly SyntaxNode[],
): readonly Statement[] {
  const span = { from: node.from, to: node.to };
  const words = children.map((child) => reader.nameOf(child));
  if (words[0] === "from") {
    const at = words.indexOf("import");
    const module = words.slice(1, at === -1 ? undefined : at).join("");
    const names = splitNames(words.slice(at + 1)).map(
      ({ name, local }): ImportedName => ({
        imported: name,
        local: local ?? name,
      }),
    );
    return [{ kind: "import", module, names, ...span }];
  }
  return splitNames(words.slice(1)).map(({ name, local }) => ({
    kind: "import",
    // Without `as` only the first part of a dotted name is bound, and to itself.
    module: local === undefined ? (name.split(".", 1)[0] ?? name) : name,
    names: [{ imported: "*", local: local ?? name.split(".", 1)[0] ?? name }],
    ...span,
  }));
}

function splitNames(
  words: readonly string[],
): readonly { readonly name: string; readonly local: string | undefined }[] {
  const names: { name: string; local: string | undefined }[] = [];
  let current: { name: string; local: string | undefined } | undefined;
  let isLocal = false;
  for (const word of words) {
    if (word === "," || word === "(" || word === ")") {
      current = undefined;
      isLocal = false;
    } else if (word === "as") isLocal = true;
    else if (current === undefined) {
      current = { name: word, local: undefined };
      names.push(current);
    } else if (isLocal) current.local = word;
    else current.name += word;
  }
  return names;
}

function lowerBranches(
  reader: SyntaxReader,
  node: SyntaxNode,
  children: readonly SyntaxNode[],
  remarks: Remark[],
): readonly Statement[] {
  const tests: Expression[] = [];
  const bodies: (readonly Statement[])[] = [];
  for (const child of children) {
    if (child.name === "Body" || child.name === "MatchBody")
      bodies.push(lowerBlock(reader, childrenOf(child), remarks));
    else if (/Name|Expr|String/.test(child.name) && node.name !== "TryStatement")
      tests.push(lowerPythonExpression(reader, child));
  }
  const span = { from: node.from, to: node.to };
  const test: Expression | undefined =
    tests.length === 0 ? undefined : { kind: "unknown", parts: tests, ...span };
  // The effects of a try block hold in its handlers; a body of `while` runs or not.
  if (node.name === "TryStatement") return [{ kind: "block", body: bodies.flat(), ...span }];
  if (node.name === "WhileStatement")
    return [{ kind: "while", test: tests[0], update: undefined, body: bodies.flat(), ...span }];
  return [{ kind: "branch", test, ...(node.name === "IfStatement" ? { tests } : {}), bodies, ...span }];
}

function lowerFor(
  reader: SyntaxReader,
  node: SyntaxNode,
  children: readonly SyntaxNode[],
  bodyOf: (owner: SyntaxNode) => readonly Statement[],
): readonly Statement[] {
  const span = { from: node.from, to: node.to };
  const start = children.findIndex((child) => child.name === "for") + 1;
  const at = children.findIndex((child) => child.name === "in");
  const end = children.findIndex((child) => child.name === "Body");
  if (at === -1) return [];
  return [
    {
      kind: "loop",
      target: tupleOf(reader, children.slice(start, at), span),
      iterable: tupleOf(reader, children.slice(at + 1, end === -1 ? undefined : end), span),
      over: "items",
      body: children.filter((child) => child.name === "Body").flatMap((child) => bodyOf(child)),
      ...span,
    },
  ];
}

function lowerWith(
  reader: SyntaxReader,
  node: SyntaxNode,
  children: readonly SyntaxNode[],
  bodyOf: (owner: SyntaxNode) => readonly Statement[],
): readonly Statement[] {
  const span = { from: node.from, to: node.to };
  const statements: Statement[] = [];
  for (let index = 0; index < children.length; index++) {
    const child = children[index];
    if (child === undefined || child.name === "with" || child.name === "async" || child.name === ",")
      continue;
    if (child.name === "Body") {
      statements.push({ kind: "block", body: bodyOf(child), ...span });
      continue;
    }
    const value = lowerPythonExpression(reader, child);
    const target = children[index + 1]?.name === "as" ? children[index + 2] : undefined;
    if (target === undefined) statements.push({ kind: "expression", value, from: child.from, to: child.to });
    else {
      const from = child.from;
      statements.push({
        kind: "assign",
        target: lowerPythonExpression(reader, target),
        value,
        operator: "=",
        declares: true,
        from,
        to: target.to,
      });
      index += 2;
    }
  }
  return statements;
}
