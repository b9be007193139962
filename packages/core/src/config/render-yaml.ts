import { isDeepStrictEqual } from "node:util";
import { plainValue } from "@skillet/kit/located";
import type { Node, ToStringOptions } from "yaml";
import { loadYaml } from "../format/load-yaml.ts";
import type { ComposedYaml } from "./compose-yaml.ts";
import { locateYaml } from "./locate-yaml.ts";
import { transplantEdit } from "./transplant-edit.ts";

/** Turns a document that is being edited into text: as it was, except for what the edit changed. */
export function createRenderer(composed: ComposedYaml, original: string): () => string {
  const style = styleOf(composed, original);
  const write = (): string => {
    const text = composed.document.toString(style);
    return original.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
  };
  const untouched = write();
  return () => {
    const edited = write();
    if (edited === untouched) return original;
    const transplanted = transplantEdit(original, untouched, edited);
    return transplanted !== undefined && meansTheSame(transplanted, edited) ? transplanted : edited;
  };
}

function meansTheSame(left: string, right: string): boolean {
  const [one, other] = [locateYaml(left), locateYaml(right)];
  return (
    one.faults.length === 0 &&
    isDeepStrictEqual(plainValue(one.root), plainValue(other.root)) &&
    commentsIn(left) >= commentsIn(right)
  );
}

// Behind a plain text or in quotes a `#` is no comment; counting those as well does no harm to a comparison.
function commentsIn(text: string): number {
  return text.split("#").length;
}

function styleOf(composed: ComposedYaml, original: string): ToStringOptions {
  const found: { indent?: number; indentSeq?: boolean } = {};
  const root = composed.document.contents;
  if (root !== null) lookAt(root, composed, found);
  return { lineWidth: 0, indent: 2, ...found, flowCollectionPadding: !/[[{][^\s\]}]/.test(original) };
}

function lookAt(node: Node, composed: ComposedYaml, found: { indent?: number; indentSeq?: boolean }): void {
  const { isMap, isNode, isSeq } = loadYaml();
  if (!isMap(node) || node.flow) return;
  for (const { key, value } of node.items) {
    if (!isNode(key) || !isNode(value)) continue;
    const deeper = columnOf(value, composed) - columnOf(key, composed);
    if (isMap(value) && !value.flow && deeper > 0) found.indent ??= Math.min(deeper, 8);
    if (isSeq(value) && !value.flow) found.indentSeq ??= deeper > 0;
    lookAt(value, composed, found);
  }
}

function columnOf(node: Node, composed: ComposedYaml): number {
  const start = node.range?.[0] ?? 0;
  return composed.rangeOf(start, start).column;
}
