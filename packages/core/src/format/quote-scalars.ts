import type * as Yaml from "yaml";
import { FaultList } from "./fault-list.ts";
import { MAX_HEADER_DEPTH } from "./format-limits.ts";
import { loadYaml } from "./load-yaml.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";
import { createRawMap, isRawMap, type RawHeader, type RawValue } from "./raw-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { splitSkill } from "./split-skill.ts";

/** A text whose numbers and booleans are quoted where the specification has text, and which ones those are. */
export interface QuotedScalars {
  readonly text: string;
  readonly quoted: readonly QuotedScalar[];
}

/** A number or boolean as it was written, and the keys that lead to it. */
interface QuotedScalar {
  readonly path: readonly [string] | readonly ["metadata", string];
  readonly value: string;
}

/**
 * Puts numbers and booleans of a readable SKILL.md in quotes where the specification has text.
 *
 * All at once, because a header can hold thousands of them and each reading passes over the whole header.
 */
export function quoteScalars(text: string): QuotedScalars {
  const parts = splitSkill(text, new FaultList("SKILL.md", "lenient"));
  const raw = text.slice(parts?.start, parts?.end);
  const found = parts?.header === undefined ? [] : findScalars(raw);
  if (parts?.header === undefined || found.length === 0) return { text, quoted: [] };
  const pieces: string[] = [];
  let at = 0;
  for (const { value, start, end } of found) {
    pieces.push(raw.slice(at, start), `"${value}"`);
    at = end;
  }
  const header = pieces.join("") + raw.slice(at);
  // The header is changed as text, so the result is held against what it should mean.
  if (!isQuoted(parts.header, header.replaceAll("\r\n", "\n"), found)) return { text, quoted: [] };
  return { text: text.slice(0, parts.start) + header + text.slice(parts.end), quoted: found };
}

interface FoundScalar extends QuotedScalar {
  readonly start: number;
  readonly end: number;
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["name", "description", "license", "compatibility"]);

function findScalars(header: string): readonly FoundScalar[] {
  const yaml = loadYaml();
  const parsed = parseYaml(header, { maxDepth: MAX_HEADER_DEPTH });
  const contents = isTooDeep(parsed) ? null : parsed.document.contents;
  const found: FoundScalar[] = [];
  for (const { key, value } of yaml.isMap(contents) ? contents.items : []) {
    const name = keyText(key);
    if (name !== undefined && TEXT_FIELDS.has(name)) found.push(...findScalar([name], value));
    if (name !== "metadata" || !yaml.isMap(value)) continue;
    for (const entry of value.items) {
      const entryName = keyText(entry.key);
      if (entryName !== undefined) found.push(...findScalar(["metadata", entryName], entry.value));
    }
  }
  return found;
}

function keyText(key: unknown): string | undefined {
  return loadYaml().isScalar(key) && typeof key.value === "string" ? key.value : undefined;
}

function findScalar(path: QuotedScalar["path"], node: unknown): readonly FoundScalar[] {
  const value = loadYaml().isScalar(node) ? sourceOf(node) : undefined;
  const [start, end] = (node as Yaml.Scalar | null)?.range ?? [];
  return value === undefined || start === undefined || end === undefined ? [] : [{ path, value, start, end }];
}

/** The text of a scalar that YAML reads as a number or a boolean. */
function sourceOf(node: Yaml.Scalar): string | undefined {
  if (node.type !== "PLAIN" || node.tag !== undefined) return undefined;
  if (typeof node.value === "boolean") return String(node.value);
  return typeof node.value === "number" ? node.source : undefined;
}

function isQuoted(before: string, after: string, quoted: readonly QuotedScalar[]): boolean {
  const [old, changed] = [readYamlHeader(before), readYamlHeader(after)];
  if (isHeaderFault(old) || isHeaderFault(changed)) return false;
  return JSON.stringify(entriesOf(old, quoted)) === JSON.stringify(entriesOf(changed, []));
}

function entriesOf(header: RawHeader, quoted: readonly QuotedScalar[]): readonly [string, RawValue][] {
  const entries = new Map(header.keys.map((key, index) => [key, header.values[index] ?? null]));
  const present = entries.get("metadata");
  const metadata = isRawMap(present) ? Object.assign(createRawMap(), present) : undefined;
  if (metadata !== undefined) entries.set("metadata", metadata);
  for (const { path, value } of quoted) {
    const [key, nested] = path;
    if (nested === undefined) entries.set(key, value);
    else if (metadata !== undefined) metadata[nested] = value;
  }
  return [...entries];
}
