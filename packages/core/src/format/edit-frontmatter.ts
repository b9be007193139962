import { SkilletError } from "@skillet/kit/errors";
import { FaultList } from "./fault-list.ts";
import { MAX_HEADER_CHARACTERS } from "./format-limits.ts";
import { type FrontmatterValue, HeaderEditor } from "./header-editor.ts";
import type { RawHeader, RawValue } from "./raw-header.ts";
import { isRawMap } from "./raw-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { splitSkill } from "./split-skill.ts";

/** One change of a header: a value for the key at a path, or undefined to remove it. */
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
  if (parts === undefined) throw notEditable(edit, "its opening fence has text behind it");
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
  const expected = new Map(before.keys.map((key, index) => [key, before.values[index] ?? null]));
  const [key, ...rest] = edit.path;
  const value = replaceIn(expected.get(key), rest, edit.value);
  if (value === undefined) expected.delete(key);
  else expected.set(key, value);
  return (
    JSON.stringify([...expected]) ===
    JSON.stringify(after.keys.map((name, index) => [name, after.values[index]]))
  );
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
