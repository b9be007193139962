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
type Step = { readonly map: BlockMap; readonly pair: Pair };

class HeaderEditor {
  private readonly yaml: typeof Yaml = loadYaml();
  private readonly text: string;
  private readonly lineEnd: string;

  constructor(text: string, lineEnd: string) {
    this.text = text;
    this.lineEnd = lineEnd;
  }

  /** Undefined if the path leads through something that is not a map. */
  apply(path: readonly string[], value: FrontmatterValue | undefined): string | undefined {
    const parsed = parseYaml(this.text, { maxDepth: MAX_HEADER_DEPTH });
    if (isTooDeep(parsed)) return undefined;
    const trail: Step[] = [];
    let end: Pair["value"] = parsed.document.contents;
    while (this.yaml.isMap(end) && end.flow !== true && trail.length < path.length) {
      const map: BlockMap = end;
      const pair = map.items.findLast((item) => keyText(item) === path[trail.length]);
      if (pair === undefined) break;
      trail.push({ map, pair });
      end = pair.value;
    }
    const last = trail.at(-1)?.pair;
    const rest = path.slice(trail.length);
    if (last !== undefined && rest.length === 0)
      return value === undefined ? this.remove(trail) : this.setPair(last, value);
    if (this.yaml.isMap(end) && end.flow === true) return this.editFlow(end, rest, value, trail);
    if (value === undefined) return this.text;
    const added = nest(rest, value);
    if (this.yaml.isMap(end)) return this.insertInto(end, added);
    if (last !== undefined) return isEmpty(end) ? this.setPair(last, added) : undefined;
    const isNothing = end === null || (this.yaml.isScalar(end) && end.value === null);
    return isNothing ? this.insertAt(this.text.length, 0, added) : undefined;
  }

  /** Writes a flow map anew, because commas and brackets around a key depend on its neighbours. */
  private editFlow(
    map: BlockMap,
    path: readonly string[],
    value: FrontmatterValue | undefined,
    trail: readonly Step[],
  ): string {
    if (value === undefined && !map.hasIn(path)) return this.text;
    if (value === undefined) map.deleteIn(path);
    else map.setIn(path.map(this.flowNode, this), this.flowNode(value));
    dropEmpty(map, path.slice(0, -1), this.yaml);
    if (map.items.length === 0 && trail.length > 0) return this.remove(trail);
    // Comments around the map stay where they are.
    map.commentBefore = null;
    const after = this.text.slice(map.range[1], map.range[2]).match(/#.*/g)?.length ?? 0;
    const comments = (map.comment ?? "").split("\n").filter((line) => line !== "");
    map.comment = comments.slice(0, comments.length - after).join("\n");
    return this.splice(map.range[0], map.range[1], this.flowText(map));
  }

  private setPair(pair: Pair, value: FrontmatterValue): string {
    const { value: present } = pair;
    const at = this.colonEnd(pair);
    const isInline = typeof value !== "object" || value === null || Object.keys(value).length === 0;
    const lines = isInline ? "" : this.blockLines(value, this.columnOf(pair) + 2);
    // A comment after the key stays there.
    if (isEmpty(present))
      return isInline
        ? this.splice(at, at, ` ${this.scalarText(value)}`)
        : this.withLinesBelow(this.text, at, lines);
    const [start, end] = present.range;
    if (this.yaml.isCollection(present) && present.flow === true)
      return this.splice(start, end, this.flowText(value));
    const inline = this.scalarText(value, present);
    const isBlock = this.text[end - 1] === "\n" && end > start;
    if (isBlock)
      return this.splice(at, end, isInline ? ` ${inline}${this.lineEnd}` : `${this.lineEnd}${lines}`);
    return isInline
      ? this.splice(start, end, inline)
      : this.withLinesBelow(this.splice(start, end, ""), start, lines);
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

  /** Removes the last key of a trail; a map that loses its last key is gone itself. */
  private remove(trail: readonly Step[]): string {
    const step = trail.findLast(({ map }) => map.items.length > 1) ?? trail[0];
    if (step === undefined) return this.text;
    return this.splice(this.lineStart(step.pair.key.range[0]), this.pairEnd(step.pair), "");
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

  /** A node that keeps the quotes older parsers need when it is printed among others that do not get them. */
  private flowNode(value: FrontmatterValue): Yaml.Node | null {
    return this.yaml.parseDocument(this.flowText(value)).contents;
  }

  private flowText(value: FrontmatterValue | BlockMap): string {
    const options = { lineWidth: 0, flowCollectionPadding: false, blockQuote: false } as const;
    const document = this.yaml.isMap(value)
      ? new this.yaml.Document(value)
      : new this.yaml.Document(value, { flow: true, compat: "yaml-1.1" });
    return document.toString(options).trimEnd();
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

function dropEmpty(map: Yaml.YAMLMap, path: readonly string[], yaml: typeof Yaml): void {
  for (let length = path.length; length > 0; length -= 1) {
    const node = map.getIn(path.slice(0, length), true);
    if (!yaml.isMap(node) || node.items.length > 0) return;
    map.deleteIn(path.slice(0, length));
  }
}
