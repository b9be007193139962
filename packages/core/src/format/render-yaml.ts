import { isDeepStrictEqual } from "node:util";
import { plainValue } from "@skillet/kit/located";
import type { Node, ToStringOptions } from "yaml";
import { loadYaml } from "./load-yaml.ts";
import { type ComposedYaml, locateYaml } from "./locate-yaml.ts";

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

// A `#` in plain or quoted text is not a comment, but counting it too does not harm a comparison.
function commentsIn(text: string): number {
  return text.split("#").length;
}

/** Quoted texts stay on one line, so that a comment after them remains a comment. */
export const WHOLE_TEXTS = { doubleQuotedMinMultiLineLength: 1_000_000_000 } as const;

function styleOf(composed: ComposedYaml, original: string): ToStringOptions {
  const found: { indent?: number; indentSeq?: boolean } = {};
  const root = composed.document.contents;
  if (root !== null) lookAt(root, composed, found);
  return {
    lineWidth: 0,
    ...WHOLE_TEXTS,
    indent: 2,
    ...found,
    flowCollectionPadding: !/[[{][^\s\]}]/.test(original),
  };
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

/**
 * Applies a change to the original text. `untouched` is that text as the YAML library writes it, `edited` is
 * the same with the change.
 *
 * The library keeps comments but reformats the text. As long as the two layouts differ only in white space,
 * the position of the change is found by counting the other characters, and the rest stays byte for byte.
 * Returns undefined if they differ in more; the caller must check that the result means the same as `edited`.
 */
export function transplantEdit(original: string, untouched: string, edited: string): string | undefined {
  const inks = inkPositions(original);
  const untouchedInks = inkPositions(untouched);
  const editedInks = inkPositions(edited);
  if (!sameInk(original, inks, untouched, untouchedInks)) return undefined;

  const shorter = Math.min(untouchedInks.length, editedInks.length);
  const equal = (index: number, other: number): boolean =>
    untouched[untouchedInks[index] ?? -1] === edited[editedInks[other] ?? -1];
  let head = 0;
  while (head < shorter && equal(head, head)) head++;
  let tail = 0;
  while (tail < shorter - head && equal(untouchedInks.length - 1 - tail, editedInks.length - 1 - tail))
    tail++;

  const start = endOf(inks, head);
  const end = startOf(inks, inks.length - tail, original.length);
  const inserted = edited.slice(
    endOf(editedInks, head),
    startOf(editedInks, editedInks.length - tail, edited.length),
  );
  return original.slice(0, start) + inserted + original.slice(end);
}

function inkPositions(text: string): number[] {
  const positions: number[] = [];
  for (let index = 0; index < text.length; index++) {
    if (!/\s/.test(text[index] ?? "")) positions.push(index);
  }
  return positions;
}

function sameInk(
  left: string,
  leftInks: readonly number[],
  right: string,
  rightInks: readonly number[],
): boolean {
  return (
    leftInks.length === rightInks.length &&
    leftInks.every((position, index) => left[position] === right[rightInks[index] ?? -1])
  );
}

// The offset after the first `count` characters that are not white space.
function endOf(inks: readonly number[], count: number): number {
  return count === 0 ? 0 : (inks[count - 1] ?? 0) + 1;
}

function startOf(inks: readonly number[], index: number, length: number): number {
  return inks[index] ?? length;
}
