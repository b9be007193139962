import { SkilletError } from "@skillet/kit/errors";
import { FaultList } from "./fault-list.ts";
import { MAX_HEADER_CHARACTERS, MAX_HEADER_DEPTH } from "./format-limits.ts";
import { loadYaml } from "./load-yaml.ts";
import { composeYaml } from "./locate-yaml.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";
import { isRawMap, type RawHeader, type RawValue } from "./raw-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { createRenderer } from "./render-yaml.ts";
import { splitSkill } from "./split-skill.ts";
import { removeValue, setValue } from "./yaml-edit.ts";

export interface FrontmatterEdit {
  readonly path: readonly [string, ...string[]];
  readonly value: FrontmatterValue | undefined;
}

/**
 * Changes keys of a SKILL.md and keeps everything else: comments, order, quotes, line ends and the body.
 *
 * A file without frontmatter gets one. Throws a SkilletError if the header is not valid YAML or if a path
 * leads through a value that is not a map.
 *
 * @example
 * editFrontmatter(text, [{ path: ["metadata", "version"], value: "1.10" }, { path: ["license"], value: undefined }]);
 */
export function editFrontmatter(text: string, edits: readonly FrontmatterEdit[]): string {
  return edits.reduce(applyEdit, text);
}

/** `editFrontmatter` for repairs: returns undefined if a header cannot be edited safely. */
export function tryEditFrontmatter(text: string, edits: readonly FrontmatterEdit[]): string | undefined {
  try {
    return editFrontmatter(text, edits);
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code === "frontmatter-not-editable") return undefined;
    throw error;
  }
}

function applyEdit(text: string, edit: FrontmatterEdit): string {
  const parts = splitSkill(text, new FaultList("SKILL.md", "lenient"));
  if (parts === undefined) throw notEditable(edit, "its opening fence has text after it");
  if (parts.header === undefined) return edit.value === undefined ? text : addFrontmatter(text, edit);
  const expected = expectAfter(readForEdit(parts.header, edit), edit);
  const lineEnd = text.slice(0, parts.rest).includes("\r\n") ? "\r\n" : "\n";
  const header = editHeader(text.slice(parts.start, parts.end), edit, lineEnd);
  const { values } = readForEdit(header.replaceAll("\r\n", "\n"), edit);
  // The edit works on text, so its result is compared with the expected values.
  if (JSON.stringify([...values]) !== expected) throw notEditable(edit, "the change would alter other keys");
  return text.slice(0, parts.start) + header + text.slice(parts.end);
}

function addFrontmatter(text: string, edit: FrontmatterEdit): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  return `${mark}---${lineEnd}${editHeader("", edit, lineEnd)}---${lineEnd}${lineEnd}${text.slice(mark.length)}`;
}

function readForEdit(header: string, edit: FrontmatterEdit): RawHeader {
  if (header.length > MAX_HEADER_CHARACTERS) throw notEditable(edit, "the header is too large");
  const read = readYamlHeader(header);
  if (isHeaderFault(read)) throw notEditable(edit, `line ${read.line} of the header: ${read.message}`);
  return read;
}

function expectAfter({ values }: RawHeader, edit: FrontmatterEdit): string {
  const expected = new Map(values);
  const [key, ...rest] = edit.path;
  const value = replaceIn(expected.get(key), rest, edit);
  if (value === undefined) expected.delete(key);
  else expected.set(key, value);
  return JSON.stringify([...expected]);
}

/** A value with the part at a path replaced; a map that loses its last key is removed as well. */
function replaceIn(
  present: RawValue | undefined,
  path: readonly string[],
  edit: FrontmatterEdit,
): RawValue | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return edit.value as RawValue | undefined;
  if (!isRawMap(present ?? {})) {
    if (edit.value === undefined) return present;
    throw notEditable(edit, "a key on the path holds something other than a map");
  }
  const entries = new Map(Object.entries(isRawMap(present) ? present : {}));
  const had = entries.has(key);
  const replaced = replaceIn(entries.get(key), rest, edit);
  if (replaced !== undefined) entries.set(key, replaced);
  else if (!had) return present;
  else entries.delete(key);
  return entries.size === 0 ? undefined : Object.fromEntries(entries);
}

function notEditable(edit: FrontmatterEdit, reason: string): SkilletError {
  const message = `Cannot edit ${edit.path.join(".")}: ${reason.replace(/\.$/, "")}. Correct the header first.`;
  return new SkilletError("frontmatter-not-editable", message, { data: { path: edit.path } });
}

export type FrontmatterValue =
  | string
  | number
  | boolean
  | null
  | readonly FrontmatterValue[]
  | { readonly [key: string]: FrontmatterValue };

/** Rewrites only the lines of the top-level key that an edit changes. */
function editHeader(header: string, { path, value }: FrontmatterEdit, lineEnd: string): string {
  const [start, end] = linesOf(header, path[0]);
  const lines = header.slice(start, end);
  const composed = composeYaml(lines);
  if (!("document" in composed)) return header;
  const { document } = composed;
  const render = createRenderer(composed, lines);
  if (value === undefined) removeValue(document, path);
  else setValue(document, path, value);
  const { contents } = document;
  const isGone = loadYaml().isMap(contents) && contents.items.length === 0 && contents.flow !== true;
  const edited = isGone ? "" : render();
  if (lines !== "") return header.slice(0, start) + edited + header.slice(end);
  const gap = header === "" || header.endsWith("\n") ? "" : lineEnd;
  return header + gap + edited.replaceAll("\n", lineEnd);
}

/** The range of a top-level key's lines, with the comment on the last one; a new key comes last. */
function linesOf(header: string, key: string): readonly [number, number] {
  const nowhere = [header.length, header.length] as const;
  const parsed = parseYaml(header, { maxDepth: MAX_HEADER_DEPTH, stringKeys: true });
  const root = isTooDeep(parsed) ? null : parsed.document.contents;
  const { isMap, isScalar } = loadYaml();
  if (!isMap(root)) return nowhere;
  if (root.flow === true) return [0, header.length];
  const pair = root.items.findLast((item) => isScalar(item.key) && item.key.value === key);
  if (pair === undefined) return nowhere;
  const [keyStart, keyEnd] = pair.key.range;
  const [from, to] = pair.value?.range ?? [0, 0];
  const end = from === to ? header.indexOf(":", keyEnd) + 1 : to;
  const newline = header[end - 1] === "\n" ? end - 1 : header.indexOf("\n", end);
  return [header.lastIndexOf("\n", keyStart - 1) + 1, newline === -1 ? header.length : newline + 1];
}
