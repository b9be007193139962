import type { Diagnostic } from "@skillet/kit/diagnostics";
import type * as Yaml from "yaml";
import { betterName, checkName, isPlainName } from "./check-name.ts";
import { fieldOf, reportToolsForm } from "./dialects.ts";
import { type FrontmatterEdit, tryEditFrontmatter } from "./edit-frontmatter.ts";
import { FaultList } from "./fault-list.ts";
import { Field, splitList } from "./field.ts";
import { MAX_HEADER_CHARACTERS, MAX_HEADER_DEPTH } from "./format-limits.ts";
import { loadYaml } from "./load-yaml.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";
import { isRawMap, type RawHeader, type RawValue } from "./raw-header.ts";
import { reportNotes } from "./read-header.ts";
import { reportScalar } from "./read-manifest.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { type ReadableHeader, repairHeader } from "./repair-header.ts";
import { type SkillParts, splitSkill } from "./split-skill.ts";

/** A text with all safe repairs applied, and the reason for each. */
export interface RepairedSkill {
  readonly text: string;
  readonly applied: readonly Diagnostic[];
}

// Valid as they are, or not to be moved without asking the author.
const LEFT_ALONE: ReadonlySet<string> = new Set(["crlf-line-ends", "leading-comment"]);

/**
 * Makes in a SKILL.md the repairs that lenient loading makes in memory, so that all clients read the same.
 *
 * Repairs fences, quotes, tabs and the form of standard fields, and replaces a name that the specification
 * forbids by the folder's name; nothing else that the skill says changes. A second repair changes nothing.
 *
 * @example
 * const { text, applied } = repairSkill("---\nname: pdf\ndescription: Use this: for forms\n---\n");
 */
export function repairSkill(
  text: string,
  options: { readonly file?: string; readonly directoryName?: string } = {},
): RepairedSkill {
  const faults = new FaultList(options.file ?? "SKILL.md", "lenient");
  const parts = splitSkill(text, faults);
  const found = parts?.header === undefined ? undefined : readableHeader(parts.header);
  if (parts === undefined || found === undefined) return { text, applied: [] };
  faults.headerLine = parts.headerLine;
  const header = lowerKeys(found, faults);
  faults.header = header.text;
  reportNotes(header.notes, faults);
  // One of two values would be lost, and only the author knows which one was meant.
  const isAmbiguous = header.header.notes.some(({ code }) => code === "duplicate-key");
  const quoted = isAmbiguous ? header.text : quoteScalars(header, faults);
  const fenced = replaceFences(text, parts, quoted);
  const read = readYamlHeader(quoted);
  const values = isHeaderFault(read) ? header.header : read;
  const repaired = isAmbiguous ? fenced : editFields(fenced, values, faults, options.directoryName);
  return { text: repaired, applied: faults.finish().filter(({ code }) => !LEFT_ALONE.has(code)) };
}

function readableHeader(text: string): ReadableHeader | undefined {
  if (text.length > MAX_HEADER_CHARACTERS) return undefined;
  const header = readYamlHeader(text);
  if (!isHeaderFault(header)) return { text, notes: [], header };
  const repaired = header.kind === "invalid" ? repairHeader(text) : undefined;
  return repaired?.hidesKey === true ? undefined : repaired;
}

/** Renames a key such as `Name:` to `name:`, if there is no such key yet. */
function lowerKeys(found: ReadableHeader, faults: FaultList): ReadableHeader {
  const { values } = found.header;
  const lowered: string[] = [];
  const text = found.text.replaceAll(/^[A-Za-z-]+(?=[ \t]*:)/gm, (key) => {
    const lower = key.toLowerCase();
    if (!values.has(key) || values.has(lower) || fieldOf(key) || !fieldOf(lower)) return key;
    lowered.push(key);
    return lower;
  });
  const header = readYamlHeader(text);
  if (lowered.length === 0 || isHeaderFault(header) || header.values.size !== values.size) return found;
  faults.header = found.text;
  for (const key of lowered) {
    const message = `The key ${JSON.stringify(key)} has no effect: keys are in lower case.`;
    const hint = `Write ${key.toLowerCase()}.`;
    faults.addAtKey({ code: "unknown-key", severity: "warning", message, hint }, key);
  }
  return { ...found, text, header };
}

/** Puts a header between plain fences; keeps line ends, a comment before it and everything after it. */
function replaceFences(text: string, parts: SkillParts, header: string): string {
  const leading = text.slice(0, parts.fence).replace(/^\uFEFF/, "");
  const opening = text.slice(parts.fence, parts.start);
  const raw = text.slice(parts.start, parts.end);
  const closing = text.slice(parts.end, parts.rest);
  const rest = text.slice(parts.rest);
  const lineEnd = /\r\n/.exec(opening + raw)?.[0] ?? "\n";
  // Repairs keep the number of lines, so each line keeps its own end.
  const ends = (raw.match(/\r?\n/g) ?? []).values();
  return [
    leading.includes("<!--") ? leading : "",
    plainFence(opening, lineEnd),
    header.replaceAll("\n", () => ends.next().value ?? lineEnd),
    closing !== "" && rest === "" && !closing.endsWith("\n") ? "---" : plainFence(closing, lineEnd),
    rest,
  ].join("");
}

function plainFence(line: string, lineEnd: string): string {
  return `---${/\r?\n$/.exec(line)?.[0] ?? lineEnd}`;
}

function editFields(
  text: string,
  header: RawHeader,
  faults: FaultList,
  directoryName: string | undefined,
): string {
  let edited = text;
  const fields = [...header.values].flatMap(([key, value]) => planField(key, value));
  for (const { edit, report } of [...fields, ...planName(header, directoryName)]) {
    const next = tryEditFrontmatter(edited, [edit]);
    if (next === undefined) continue;
    edited = next;
    report(faults);
  }
  return edited;
}

interface PlannedEdit {
  readonly edit: FrontmatterEdit;
  readonly report: (faults: FaultList) => void;
}

const BOOLEAN_FIELDS: ReadonlySet<string> = new Set([
  "disable-model-invocation",
  "user-invocable",
  "background",
]);

function planField(key: string, value: RawValue): PlannedEdit[] {
  const field = fieldOf(key)?.name;
  if (field === "allowed-tools") return planTools(key, value);
  if (field === undefined || !BOOLEAN_FIELDS.has(field) || typeof value === "boolean") return [];
  if (value === null || typeof value === "object") return [];
  const read = (faults: FaultList): boolean | undefined => new Field(value, key, faults).flag();
  const boolean = read(unheard());
  return boolean === undefined ? [] : [{ edit: { path: [key], value: boolean }, report: read }];
}

function planTools(key: string, value: RawValue): PlannedEdit[] {
  const ignored = unheard();
  const tools = new Field(value, key, ignored).list();
  if (ignored.finish().length > 0) return [];
  const text = tools.join(" ");
  // A tool with a space outside brackets would be split in two.
  if (tools.length === 0 || JSON.stringify(splitList(text)) !== JSON.stringify(tools)) return [];
  const report = (faults: FaultList): boolean => reportToolsForm(new Field(value, key, faults), tools);
  return report(unheard()) ? [{ edit: { path: [key], value: text }, report }] : [];
}

function unheard(): FaultList {
  return new FaultList("SKILL.md", "lenient");
}

/** Only for a forbidden name: if a name merely differs from the folder's, the folder may be wrong. */
function planName(header: RawHeader, directoryName: string | undefined): PlannedEdit[] {
  const name = header.values.get("name") ?? "";
  if (typeof name !== "string" || directoryName === undefined) return [];
  const isMissing = name.trim() === "";
  const value = isMissing ? directoryName : betterName(name, directoryName);
  if (name === value || !isPlainName(value)) return [];
  const strict = new FaultList("SKILL.md", "strict");
  checkName(name, undefined, strict, "name");
  const code = isMissing ? "missing-name" : (strict.finish()[0]?.code ?? "name-characters");
  const message = isMissing
    ? "The skill has no name."
    : `The name is ${JSON.stringify(name)}, but names are lower case, with hyphens.`;
  const hint = isMissing ? `Add a line name: ${value}.` : `Write name: ${value}.`;
  const fault = { code, severity: "warning", message, hint } as const;
  const report = (faults: FaultList): void => faults.addAtKey(fault, "name", isMissing ? "key" : "value");
  return [{ edit: { path: ["name"], value }, report }];
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["name", "description", "license", "compatibility"]);

/** All in one pass: there can be thousands of them, and each reading goes over the whole header. */
function quoteScalars({ text, header }: ReadableHeader, faults: FaultList): string {
  const found = findScalars(text);
  const pieces: string[] = [];
  let at = 0;
  for (const { value, start, end } of found) {
    pieces.push(text.slice(at, start), `"${value}"`);
    at = end;
  }
  const quoted = pieces.join("") + text.slice(at);
  const read = readYamlHeader(quoted);
  // The header is changed as text, so the result is compared with the expected meaning.
  if (isHeaderFault(read) || meaningOf(read) !== meaningOf(header)) return text;
  for (const { path, reading, value } of found) reportScalar(path, reading, faults, value);
  return quoted;
}

/** Equal for a header before and after its numbers and booleans are quoted. */
function meaningOf({ values }: RawHeader): string {
  const entries = [...values].map(([key, value]) => {
    if (TEXT_FIELDS.has(key)) return [key, quotedValue(value)];
    if (key !== "metadata" || !isRawMap(value)) return [key, value];
    return [key, Object.entries(value).map(([name, item]) => [name, quotedValue(item)])];
  });
  return JSON.stringify(entries);
}

function quotedValue(value: RawValue): RawValue {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

interface FoundScalar {
  readonly path: string;
  readonly value: string;
  readonly reading: unknown;
  readonly start: number;
  readonly end: number;
}

function findScalars(header: string): readonly FoundScalar[] {
  const yaml = loadYaml();
  const parsed = parseYaml(header, { maxDepth: MAX_HEADER_DEPTH });
  const contents = isTooDeep(parsed) ? null : parsed.document.contents;
  const found: FoundScalar[] = [];
  const take = (path: string, node: unknown): void => {
    if (!yaml.isScalar(node) || node.type !== "PLAIN" || node.tag !== undefined || !node.range) return;
    const { value: reading, source: written, range } = node as Yaml.Scalar.Parsed;
    const value = typeof reading === "boolean" ? String(reading) : written;
    if (typeof reading === "boolean" || typeof reading === "number")
      found.push({ path, value, reading, start: range[0], end: range[1] });
  };
  for (const { key, value } of yaml.isMap(contents) ? contents.items : []) {
    const name = keyText(key);
    // No known key holds a number, so a version such as 1.10 in any of them is text that would be truncated.
    const isCut =
      yaml.isScalar(value) && typeof value.value === "number" && value.source !== `${value.value}`;
    if (name !== undefined && (TEXT_FIELDS.has(name) || (isCut && fieldOf(name)))) take(name, value);
    if (name !== "metadata" || !yaml.isMap(value)) continue;
    for (const entry of value.items) {
      const entryName = keyText(entry.key);
      if (entryName !== undefined) take(`metadata.${entryName}`, entry.value);
    }
  }
  return found;
}

function keyText(key: unknown): string | undefined {
  return loadYaml().isScalar(key) && typeof key.value === "string" ? key.value : undefined;
}
