import type { SyntaxNode } from "@lezer/common";
import {
  lowerJavascriptExpression,
  lowerJavascriptFunction,
  type ReadBody,
} from "./lower-javascript-expression.ts";
import { propertyNameOf } from "./lower-javascript-pattern.ts";
import type { ClassDefinition, Statement } from "./program-tree.ts";
import { childrenOf, type SyntaxReader } from "./syntax-reader.ts";

/** Reads a class: methods as functions, fields as assignments. */
export function lowerJavascriptClass(
  reader: SyntaxReader,
  node: SyntaxNode,
  bodyOf: ReadBody,
): ClassDefinition {
  const children = childrenOf(node);
  const name = children.find((child) => child.name === "VariableDefinition");
  const body = children.find((child) => child.name === "ClassBody");
  const extension = children.findIndex((child) => child.name === "extends");
  const base = extension === -1 ? undefined : children[extension + 1];
  const statements: Statement[] = [];
  for (const item of body === undefined ? [] : childrenOf(body)) {
    const span = { from: item.from, to: item.to };
    if (item.name === "StaticBlock") {
      statements.push({ kind: "block", body: childrenOf(item).flatMap((child) => bodyOf(child)), ...span });
      continue;
    }
    const parts = childrenOf(item);
    const key = parts.find((part) => /^(?:Private)?PropertyDefinition$|^String$|^Number$/.test(part.name));
    if (key === undefined) continue;
    const property = propertyNameOf(reader, key);
    if (item.name === "MethodDeclaration") {
      const definition = { ...lowerJavascriptFunction(reader, item, bodyOf), name: property };
      statements.push({ kind: "function", definition, ...span });
    } else if (item.name === "PropertyDeclaration") {
      const at = parts.findIndex((part) => part.name === "Equals");
      const value = at === -1 ? undefined : parts[at + 1];
      if (value === undefined) continue;
      statements.push({
        kind: "assign",
        target: { kind: "name", name: property, ...span },
        value: lowerJavascriptExpression(reader, value, bodyOf),
        operator: "=",
        declares: true,
        ...span,
      });
    }
  }
  return {
    name: name === undefined ? undefined : reader.textOf(name),
    base: base === undefined ? undefined : lowerJavascriptExpression(reader, base, bodyOf),
    body: statements,
    from: node.from,
    to: node.to,
  };
}
