import type { SyntaxNode } from "@lezer/common";
import { lowerJavascriptExpression, type ReadBody } from "./lower-javascript-expression.ts";
import type { DictionaryEntry, Expression } from "./program-tree.ts";
import { readJavascriptString } from "./read-string-literal.ts";
import { childrenOf, type SyntaxReader, unknownOf } from "./syntax-reader.ts";

/** Reads what is assigned to: a name, a member, or a pattern that takes things apart. */
export function lowerPattern(reader: SyntaxReader, node: SyntaxNode, bodyOf: ReadBody): Expression {
  const span = { from: node.from, to: node.to };
  const inner = (child: SyntaxNode): Expression =>
    reader.nested(() => lowerPattern(reader, child, bodyOf)) ?? unknownOf(child, []);
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
  if (node.name !== "ObjectPattern") return lowerJavascriptExpression(reader, node, bodyOf);
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

/** The name of a property, quoted or not. */
export function propertyNameOf(reader: SyntaxReader, node: SyntaxNode): string {
  const text = reader.textOf(node);
  return node.name === "String" ? readJavascriptString(text) : text;
}
