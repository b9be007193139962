import type { SyntaxNode } from "@lezer/common";
import { parser } from "@lezer/python";
import {
  lowerPythonArguments,
  lowerPythonExpression,
  lowerPythonFunction,
  tupleOf,
} from "./lower-python-expression.ts";
import type { Expression, ImportedName, Program, Statement } from "./program-tree.ts";
import {
  childNamed,
  childrenOf,
  declaration,
  parseBounded,
  readMargins,
  SyntaxReader,
  spanOf,
  unknownOf,
} from "./syntax-reader.ts";

export function lowerPython(text: string): Program {
  const { roots, isCut } = parseBounded(parser, text);
  const reader = new SyntaxReader(text);
  const body = roots.flatMap((root) => lowerBlock(reader, childrenOf(root)));
  const margins = readMargins(roots, text);
  return {
    body,
    remarks: [...reader.sayings, ...margins.comments].sort((left, right) => left.from - right.from),
    errorCharacters: margins.errorCharacters,
    isCut: isCut || reader.isCut,
  };
}

function lowerBlock(reader: SyntaxReader, nodes: readonly SyntaxNode[]): readonly Statement[] {
  return nodes.flatMap((node) => reader.nested(() => lowerStatement(reader, node)) ?? []);
}

function lowerBody(reader: SyntaxReader, owner: SyntaxNode | undefined): readonly Statement[] {
  return owner === undefined ? [] : lowerBlock(reader, childrenOf(owner));
}

function lowerStatement(reader: SyntaxReader, node: SyntaxNode): readonly Statement[] {
  const children = childrenOf(node);
  const span = spanOf(node);
  switch (node.name) {
    case "AssignStatement":
      return lowerAssignment(reader, node);
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
          reader.sayings.push({ kind: "docstring", text: value.value, ...span });
        return [];
      }
      return [{ kind: "expression", value: tupleOf(reader, children, span), ...span }];
    case "StatementGroup":
      return lowerBlock(reader, children);
    case "ReturnStatement":
    case "YieldStatement":
      return [{ kind: "return", value: children[1] && tupleOf(reader, children.slice(1), span), ...span }];
    case "ImportStatement":
      return lowerImport(reader, node);
    case "ScopeStatement": {
      const names = children.filter((child) => child.name === "VariableName");
      return [{ kind: "global", names: names.map((child) => reader.textOf(child)), ...span }];
    }
    case "IfStatement":
    case "TryStatement":
    case "WhileStatement":
    case "MatchStatement":
      return lowerBranches(reader, node);
    case "ForStatement":
      return lowerFor(reader, node);
    case "WithStatement":
      return lowerWith(reader, node);
    case "FunctionDefinition":
      return [{ kind: "function", definition: lowerPythonFunction(reader, node, lowerBody), ...span }];
    case "ClassDefinition": {
      const name = childNamed(children, "VariableName");
      const list = childNamed(children, "ArgList");
      const base = list && childrenOf(list).find((child) => /Name|Expr/.test(child.name));
      const definition = {
        name: name && reader.textOf(name),
        base: base && lowerPythonExpression(reader, base),
        body: lowerBody(reader, childNamed(children, "Body")),
        ...span,
      };
      return [{ kind: "class", definition, ...span }];
    }
    case "Decorator": {
      const list = childNamed(children, "ArgList");
      if (list === undefined) return [];
      const value = lowerPythonArguments(reader, unknownOf(node, []), list, node);
      return [{ kind: "expression", value, ...span }];
    }
    case "DecoratedStatement":
    case "MatchBody":
    case "MatchClause":
    case "Body":
      return lowerBlock(reader, children);
    case "PrintStatement":
    case "RaiseStatement":
    case "AssertStatement":
    case "DeleteStatement":
      return [{ kind: "expression", value: tupleOf(reader, children.slice(1), span), ...span }];
    default:
      return [];
  }
}

function lowerAssignment(reader: SyntaxReader, node: SyntaxNode): readonly Statement[] {
  const groups: SyntaxNode[][] = [[]];
  for (const child of childrenOf(node)) {
    if (child.name === "AssignOp") groups.push([]);
    else if (child.name !== "TypeDef") groups.at(-1)?.push(child);
  }
  const span = spanOf(node);
  const values = groups.pop();
  if (values === undefined || groups.length === 0) return [];
  const value = tupleOf(reader, values, span);
  return groups.map((group) => declaration(tupleOf(reader, group, span), value, span));
}

function lowerImport(reader: SyntaxReader, node: SyntaxNode): readonly Statement[] {
  const span = spanOf(node);
  const words = childrenOf(node).map((child) => reader.nameOf(child));
  if (words[0] === "from") {
    const at = words.indexOf("import");
    const module = words.slice(1, at === -1 ? undefined : at).join("");
    const names = splitNames(words.slice(at + 1)).map(
      ({ name, local }): ImportedName => ({ imported: name, local: local ?? name }),
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

interface SplitName {
  name: string;
  local: string | undefined;
}

function splitNames(words: readonly string[]): readonly Readonly<SplitName>[] {
  const names: SplitName[] = [];
  let current: SplitName | undefined;
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

function lowerBranches(reader: SyntaxReader, node: SyntaxNode): readonly Statement[] {
  const tests: Expression[] = [];
  const bodies: (readonly Statement[])[] = [];
  for (const child of childrenOf(node)) {
    if (child.name === "Body" || child.name === "MatchBody") bodies.push(lowerBody(reader, child));
    else if (/Name|Expr|String/.test(child.name) && node.name !== "TryStatement")
      tests.push(lowerPythonExpression(reader, child));
  }
  const span = spanOf(node);
  const test: Expression | undefined =
    tests.length === 0 ? undefined : { kind: "unknown", parts: tests, ...span };
  // The effects of a try block hold in its handlers; a body of `while` runs or not.
  if (node.name === "TryStatement") return [{ kind: "block", body: bodies.flat(), ...span }];
  if (node.name === "WhileStatement")
    return [{ kind: "while", test: tests[0], update: undefined, body: bodies.flat(), ...span }];
  return [{ kind: "branch", test, ...(node.name === "IfStatement" ? { tests } : {}), bodies, ...span }];
}

function lowerFor(reader: SyntaxReader, node: SyntaxNode): readonly Statement[] {
  const children = childrenOf(node);
  const span = spanOf(node);
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
      body: children.filter((child) => child.name === "Body").flatMap((child) => lowerBody(reader, child)),
      ...span,
    },
  ];
}

function lowerWith(reader: SyntaxReader, node: SyntaxNode): readonly Statement[] {
  const children = childrenOf(node);
  const span = spanOf(node);
  const statements: Statement[] = [];
  for (let index = 0; index < children.length; index++) {
    const child = children[index];
    if (child === undefined || child.name === "with" || child.name === "async" || child.name === ",")
      continue;
    if (child.name === "Body") {
      statements.push({ kind: "block", body: lowerBody(reader, child), ...span });
      continue;
    }
    const value = lowerPythonExpression(reader, child);
    const target = children[index + 1]?.name === "as" ? children[index + 2] : undefined;
    if (target === undefined) statements.push({ kind: "expression", value, from: child.from, to: child.to });
    else {
      const bound = lowerPythonExpression(reader, target);
      statements.push(declaration(bound, value, { from: child.from, to: target.to }));
      index += 2;
    }
  }
  return statements;
}
