import { SkilletError } from "@skillet/kit/errors";
import type * as Yaml from "yaml";
import { FaultList } from "./fault-list.ts";
import { MAX_HEADER_CHARACTERS, MAX_HEADER_DEPTH } from "./format-limits.ts";
import { loadYaml } from "./load-yaml.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";
import { isRawMap, type RawHeader, type RawValue } from "./raw-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { splitSkill } from "./split-skill.ts";

export interface FrontmatterEdit {
  readonly path: readonly [string, ...string[]];
  readonly value: FrontmatterValue | undefined;
}

/**
 * Changes keys of a SKILL.md and leaves everything else as it is: comments, order, quotes, line ends and the body.
 *
 * A file without frontmatter gets one. Throws a SkilletError where the header is not valid YAML or a path leads
 * through something that is not a map.
 *
 * @example
 * editFrontmatter(text, [{ path: ["metadata", "version"], value: "1.10" }, { path: ["license"], value: undefined }]);
 */
export function editFrontmatter(text: string, edits: readonly FrontmatterEdit[]): string {
  return edits.reduce(applyEdit, text);
}

function applyEdit(text: string, edit: FrontmatterEdit): string {
  const parts = splitSkill(text, new FaultList("SKILL.md", "lenient"));
  if (parts === undefined) throw notEditable(edit, "its opening fence has text after it");
  if (parts.header === undefined) return edit.value === undefined ? text : addFrontmatter(text, edit);
  const before = readForEdit(parts.header, edit);
  const raw = text.slice(parts.start, parts.end);
  const header = new HeaderEditor(raw, text.slice(0, parts.rest).includes("\r\n") ? "\r\n" : "\n").apply(
    edit.path,
    edit.value,
  );
  if (header === undefined) throw notEditable(edit, "a key on the path holds something other than a map");
  const after = readForEdit(header.replaceAll("\r\n", "\n"), edit);
  // The edit works on text, so its result is held against what it should mean.
  if (!isEdited(before, after, edit)) throw notEditable(edit, "the change would alter other keys");
  return text.slice(0, parts.start) + header + text.slice(parts.end);
}

function addFrontmatter(text: string, edit: FrontmatterEdit): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const header = new HeaderEditor("", lineEnd).apply(edit.path, edit.value) ?? "";
  return `${mark}---${lineEnd}${header}---${lineEnd}${lineEnd}${text.slice(mark.length)}`;
}

function readForEdit(header: string, edit: FrontmatterEdit): RawHeader {
  if (header.length > MAX_HEADER_CHARACTERS) throw notEditable(edit, "the header is too large");
  const read = readYamlHeader(header);
  if (isHeaderFault(read)) throw notEditable(edit, `line ${read.line} of the header: ${read.message}`);
  return read;
}

function isEdited(before: RawHeader, after: RawHeader, edit: FrontmatterEdit): boolean {
  const expected = new Map(before.values);
  const [key, ...rest] = edit.path;
  const value = replaceIn(expected.get(key), rest, edit.value);
  if (value === undefined) expected.delete(key);
  else expected.set(key, value);
  return JSON.stringify([...expected]) === JSON.stringify([...after.values]);
}

/** A value with the part at a path replaced; a map that loses its last key is gone itself. */
function replaceIn(
  present: RawValue | undefined,
  path: readonly string[],
  value: FrontmatterValue | undefined,
): RawValue | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return value as RawValue | undefined;
  const entries = new Map(Object.entries(isRawMap(present) ? present : {}));
  const had = entries.has(key);
  const replaced = replaceIn(entries.get(key), rest, value);
  if (replaced !== undefined) entries.set(key, replaced);
  else if (!had) return present;
  else entries.delete(key);
  return entries.size === 0 ? undefined : Object.fromEntries(entries);
}

function notEditable(edit: FrontmatterEdit, reason: string): SkilletError {
  return new SkilletError(
    "frontmatter-not-editable",
    `Cannot edit ${edit.path.join(".")}: ${reason}. Correct the header first, for example with repairSkill.`,
    { data: { path: edit.path } },
  );
}

export type FrontmatterValue =
  | string
  | number
  | boolean
  | null
  | readonly FrontmatterValue[]
  | { readonly [key: string]: FrontmatterValue };

type BlockMap = Yaml.YAMLMap.Parsed;
type Pair = BlockMap["items"][number];

/** Changes one key of a header's text by cutting in and out whole values and lines. */
class HeaderEditor {
  private readonly yaml: typeof Yaml = loadYaml();
  private readonly text: string;
  private readonly lineEnd: string;

  constructor(text: string, lineEnd: string) {
    this.text = text;
    this.lineEnd = lineEnd;
  }

  /** The changed text, or undefined if the path leads through something that is not a map. */
  apply(path: readonly string[], value: FrontmatterValue | undefined): string | undefined {
    const parsed = parseYaml(this.text, { maxDepth: MAX_HEADER_DEPTH });
    if (isTooDeep(parsed)) return undefined;
    const { contents } = parsed.document;
    if (contents === null || (this.yaml.isScalar(contents) && contents.value === null)) {
      return value === undefined ? this.text : this.insertAt(this.text.length, 0, nest(path, value));
    }
    if (!this.yaml.isMap(contents)) return undefined;
    if (contents.flow !== true) return this.editMap(contents as BlockMap, path, value, []);
    return `${this.editFlow(contents, path, value)}${this.lineEnd}`;
  }

  private editMap(
    map: BlockMap,
    path: readonly string[],
    value: FrontmatterValue | undefined,
    parents: readonly { readonly map: BlockMap; readonly pair: Pair }[],
  ): string | undefined {
    const [key = "", ...rest] = path;
    const pair = map.items.findLast((item) => keyText(item) === key);
    if (pair === undefined) return value === undefined ? this.text : this.insertInto(map, nest(path, value));
    if (rest.length === 0) {
      return value === undefined ? this.removePair(map, pair, parents) : this.setPair(pair, value);
    }
    const child = pair.value;
    if (isEmpty(child)) return value === undefined ? this.text : this.setPair(pair, nest(rest, value));
    if (!this.yaml.isMap(child)) return value === undefined ? this.text : undefined;
    if (child.flow !== true) return this.editMap(child as BlockMap, rest, value, [...parents, { map, pair }]);
    if (value === undefined && !child.hasIn(rest)) return this.text;
    const edited = this.editFlow(child, rest, value);
    // A map that loses its last key is gone itself.
    return edited === "{}"
      ? this.removePair(map, pair, parents)
      : this.splice(child.range[0], child.range[1], edited);
  }

  /** Writes a flow map anew, because commas and brackets around a key depend on its neighbours. */
  private editFlow(
    map: Yaml.YAMLMap.Parsed,
    path: readonly string[],
    value: FrontmatterValue | undefined,
  ): string {
    if (value === undefined) map.deleteIn(path);
    else map.setIn(path, this.flowNode(value));
    dropEmpty(map, path.slice(0, -1), this.yaml);
    const document = new this.yaml.Document(map);
    return document.toString({ lineWidth: 0, flowCollectionPadding: false, blockQuote: false }).trimEnd();
  }

  private flowNode(value: FrontmatterValue): Yaml.Node {
    return new this.yaml.Document(value, { flow: true, compat: "yaml-1.1" }).contents as Yaml.Node;
  }

  private setPair(pair: Pair, value: FrontmatterValue): string {
    const present = pair.value;
    const isInline = typeof value !== "object" || value === null || isEmptyCollection(value);
    if (isEmpty(present)) return this.fillPair(pair, value, isInline);
    const [start, end] = present.range;
    const isBlock = this.text[end - 1] === "\n" && end > start;
    if (this.yaml.isCollection(present) && present.flow === true)
      return this.splice(start, end, this.flowText(value));
    if (isInline && !isBlock) return this.splice(start, end, this.scalarText(value, present));
    if (isInline)
      return this.splice(this.colonEnd(pair), end, ` ${this.scalarText(value, present)}${this.lineEnd}`);
    const lines = this.blockLines(value, this.columnOf(pair) + 2);
    if (isBlock) return this.splice(this.colonEnd(pair), end, `${this.lineEnd}${lines}`);
    return this.withLinesBelow(this.splice(start, end, ""), start, lines);
  }

  /** Gives a value to a key that has none; a comment after the key stays there. */
  private fillPair(pair: Pair, value: FrontmatterValue, isInline: boolean): string {
    const at = this.colonEnd(pair);
    if (isInline) return this.splice(at, at, ` ${this.scalarText(value)}`);
    return this.withLinesBelow(this.text, at, this.blockLines(value, this.columnOf(pair) + 2));
  }

  private withLinesBelow(text: string, at: number, lines: string): string {
    const newline = text.indexOf("\n", at);
    if (newline === -1) return `${text}${this.lineEnd}${lines}`;
    return text.slice(0, newline + 1) + lines + text.slice(newline + 1);
  }

  private insertInto(map: BlockMap, value: FrontmatterValue): string {
    const last = map.items.at(-1);
    if (last === undefined) return this.insertAt(this.text.length, 0, value);
    return this.insertAt(this.pairEnd(last), this.columnOf(last), value);
  }

  private insertAt(at: number, indent: number, value: FrontmatterValue): string {
    const gap = at > 0 && this.text[at - 1] !== "\n" ? this.lineEnd : "";
    return this.splice(at, at, gap + this.blockLines(value, indent));
  }

  private removePair(
    map: BlockMap,
    pair: Pair,
    parents: readonly { readonly map: BlockMap; readonly pair: Pair }[],
  ): string {
    const parent = parents.at(-1);
    if (map.items.length === 1 && parent !== undefined) {
      return this.removePair(parent.map, parent.pair, parents.slice(0, -1));
    }
    const start = this.lineStart(pair.key.range[0]);
    return this.splice(start, this.pairEnd(pair), "");
  }

  private pairEnd(pair: Pair): number {
    const end = isEmpty(pair.value) ? this.colonEnd(pair) : pair.value.range[1];
    if (end > 0 && this.text[end - 1] === "\n") return end;
    const newline = this.text.indexOf("\n", end);
    return newline === -1 ? this.text.length : newline + 1;
  }

  private colonEnd(pair: Pair): number {
    return this.text.indexOf(":", pair.key.range[1]) + 1;
  }

  private columnOf(pair: Pair): number {
    return pair.key.range[0] - this.lineStart(pair.key.range[0]);
  }

  private lineStart(offset: number): number {
    return this.text.lastIndexOf("\n", offset - 1) + 1;
  }

  private splice(start: number, end: number, inserted: string): string {
    return this.text.slice(0, start) + inserted + this.text.slice(end);
  }

  /** A scalar on one line, quoted as the one before it was. */
  private scalarText(value: FrontmatterValue, present?: Yaml.Node): string {
    const type = this.yaml.isScalar(present) ? present.type : undefined;
    const isQuoted = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
    const options = { ...STRINGIFY, ...(isQuoted && { defaultStringType: type }) } as const;
    return this.yaml.stringify(value, options).trimEnd();
  }

  private flowText(value: FrontmatterValue): string {
    return new this.yaml.Document(value, { flow: true, compat: "yaml-1.1" })
      .toString({ lineWidth: 0, flowCollectionPadding: false, blockQuote: false })
      .trimEnd();
  }

  private blockLines(value: FrontmatterValue, indent: number): string {
    const lines = this.yaml.stringify(value, STRINGIFY).trimEnd().split("\n");
    return lines.map((line) => " ".repeat(indent) + line + this.lineEnd).join("");
  }
}

// Scalars stay on one line, so that a comment after them stays a comment; yes and no are quoted for older parsers.
const STRINGIFY = {
  lineWidth: 0,
  blockQuote: false,
  compat: "yaml-1.1",
  doubleQuotedMinMultiLineLength: 1e9,
} as const;

function nest(path: readonly string[], value: FrontmatterValue): FrontmatterValue {
  return path.reduceRight<FrontmatterValue>((inner, key) => ({ [key]: inner }), value);
}

function keyText(pair: Pair): string {
  const { key } = pair;
  if (!("value" in key)) return "";
  return typeof key.value === "string" ? key.value : String((key as Yaml.Scalar).source ?? "");
}

function isEmpty(node: Pair["value"]): node is null {
  return node === null || ("value" in node && node.value === null && node.range[0] === node.range[1]);
}

function isEmptyCollection(value: object): boolean {
  return Object.keys(value).length === 0;
}

function dropEmpty(map: Yaml.YAMLMap, path: readonly string[], yaml: typeof Yaml): void {
  for (let length = path.length; length > 0; length -= 1) {
    const node = map.getIn(path.slice(0, length), true);
    if (!yaml.isMap(node) || node.items.length > 0) return;
    map.deleteIn(path.slice(0, length));
  }
}
