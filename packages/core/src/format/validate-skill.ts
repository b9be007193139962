import { compareByteOrder } from "@skillet/kit/order";
import type * as Yaml from "yaml";
import {
  MAX_COMPATIBILITY_CHARACTERS,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_HEADER_CHARACTERS,
  MAX_HEADER_DEPTH,
  MAX_NAME_CHARACTERS,
} from "./format-limits.ts";
import { loadYaml } from "./load-yaml.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";

export interface ReferenceInput {
  readonly text: string;
  /** The last segment of the folder's resolved path. */
  readonly directoryName: string;
}

const ALLOWED_FIELDS = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];

/**
 * The messages that `skills-ref validate` 0.1.0 prints for a SKILL.md; none if it is valid.
 *
 * Three of its faults are not copied: it ends the header at any `---`, even inside a value; it takes text on
 * the opening fence for part of the header; and it rejects names in scripts that need combining marks. The
 * text after `Invalid YAML in frontmatter:` is our own parser's wording.
 *
 * @example
 * validateSkill({ text: "---\nname: Pdf\ndescription: Fills forms.\n---\n", directoryName: "pdf" });
 * // ["Skill name 'Pdf' must be lowercase", "Directory name 'pdf' must match skill name 'Pdf'"]
 */
export function validateSkill(input: ReferenceInput): readonly string[] {
  // Python opens text files with universal line ends.
  const text = input.text.replace(/\r\n?/g, "\n");
  if (!text.startsWith("---")) return ["SKILL.md must start with YAML frontmatter (---)"];
  const [firstLine = ""] = text.slice(3).split("\n", 1);
  const closing = text.indexOf("\n---", 3);
  if (closing === -1) return ["SKILL.md frontmatter not properly closed with ---"];
  if (strip(firstLine) !== "") return ["Invalid YAML in frontmatter: text on the line of the opening fence"];
  if (closing > MAX_HEADER_CHARACTERS) return ["Invalid YAML in frontmatter: the header is too large"];
  const parsed = parseStrictYaml(text.slice(3, closing + 1));
  if ("problem" in parsed) return [`Invalid YAML in frontmatter: ${parsed.problem}, line ${parsed.line}`];
  if (!(parsed.value instanceof Map)) return ["SKILL.md frontmatter must be a YAML mapping"];
  return [...validateFields(parsed.value as ReadonlyMap<string, StrictValue>, input.directoryName)];
}

function* validateFields(fields: ReadonlyMap<string, StrictValue>, directoryName: string): Generator<string> {
  const unexpected = [...fields.keys()]
    .map(String)
    .filter((key) => !ALLOWED_FIELDS.includes(key))
    .sort(compareByteOrder);
  if (unexpected.length > 0) {
    const allowed = ALLOWED_FIELDS.map((field) => `'${field}'`).join(", ");
    yield `Unexpected fields in frontmatter: ${unexpected.join(", ")}. Only [${allowed}] are allowed.`;
  }
  const name = fields.get("name");
  if (name === undefined) yield "Missing required field in frontmatter: name";
  else yield* validateName(name, directoryName);
  const description = fields.get("description");
  if (description === undefined) yield "Missing required field in frontmatter: description";
  else yield* validateDescription(description);
  const compatibility = fields.get("compatibility");
  if (compatibility !== undefined) yield* validateCompatibility(compatibility);
}

function isFilled(value: StrictValue): value is string {
  return typeof value === "string" && strip(value) !== "";
}

function* validateName(value: StrictValue, directoryName: string): Generator<string> {
  if (!isFilled(value)) {
    yield "Field 'name' must be a non-empty string";
    return;
  }
  const name = strip(value).normalize("NFKC");
  const length = [...name].length;
  if (length > MAX_NAME_CHARACTERS)
    yield `Skill name '${name}' exceeds ${MAX_NAME_CHARACTERS} character limit (${length} chars)`;
  if (name !== name.toLowerCase()) yield `Skill name '${name}' must be lowercase`;
  if (name.startsWith("-") || name.endsWith("-")) yield "Skill name cannot start or end with a hyphen";
  if (name.includes("--")) yield "Skill name cannot contain consecutive hyphens";
  if (!/^[\p{L}\p{M}\p{N}-]*$/u.test(name))
    yield `Skill name '${name}' contains invalid characters. Only letters, digits, and hyphens are allowed.`;
  if (directoryName.normalize("NFKC") !== name)
    yield `Directory name '${directoryName}' must match skill name '${name}'`;
}

function* validateDescription(value: StrictValue): Generator<string> {
  if (isFilled(value)) yield* validateLength(value, MAX_DESCRIPTION_CHARACTERS, "Description");
  else yield "Field 'description' must be a non-empty string";
}

function* validateCompatibility(value: StrictValue): Generator<string> {
  if (typeof value !== "string") yield "Field 'compatibility' must be a string";
  else yield* validateLength(value, MAX_COMPATIBILITY_CHARACTERS, "Compatibility");
}

function* validateLength(value: string, limit: number, field: string): Generator<string> {
  const length = [...value].length;
  if (length > limit) yield `${field} exceeds ${limit} character limit (${length} chars)`;
}

/** Python's `str.strip`, whose idea of white space differs from JavaScript's. */
function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isPythonSpace(text[start] ?? "")) start += 1;
  while (end > start && isPythonSpace(text[end - 1] ?? "")) end -= 1;
  return text.slice(start, end);
}

function isPythonSpace(character: string): boolean {
  const code = character.charCodeAt(0);
  return (code >= 0x1c && code <= 0x1f) || code === 0x85 || (code !== 0xfeff && character.trim() === "");
}

/** A value of the YAML subset that `strictyaml` accepts: every scalar is text. */
type StrictValue = string | readonly StrictValue[] | ReadonlyMap<string, StrictValue>;

interface StrictFault {
  readonly problem: string;
  readonly line: number;
}

/** Like `strictyaml`: no flow collections, anchors, aliases, tags, duplicate keys or uneven siblings. */
function parseStrictYaml(text: string): { readonly value: StrictValue } | StrictFault {
  if (NOT_PRINTABLE.test(text)) return { problem: "special characters are not allowed", line: 1 };
  const parsed = parseYaml(text, { maxDepth: MAX_HEADER_DEPTH, schema: "failsafe" });
  if (isTooDeep(parsed)) {
    const isColon = parsed.tooDeep === "colons";
    return { problem: isColon ? COLON : "collections are nested too deep", line: parsed.line };
  }
  const { document, lines, secondStart } = parsed;
  const [error] = document.errors;
  if (error !== undefined) return { problem: describe(error), line: lines.linePos(error.pos[0]).line };
  if (secondStart !== undefined) return { problem: SECOND_DOCUMENT, line: lines.linePos(secondStart).line };
  const { contents } = document;
  // A document without a collection counts as its own text.
  if (contents === null || loadYaml().isScalar(contents)) return { value: text };
  return findDisallowed(contents, lines) ?? { value: document.toJS({ mapAsMap: true }) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const NOT_PRINTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

function describe(error: Yaml.YAMLError): string {
  switch (error.code) {
    case "BLOCK_AS_IMPLICIT_KEY":
      return COLON;
    case "TAB_AS_INDENT":
      return "found character '\\t' that cannot start any token";
    default:
      return error.message;
  }
}

const COLON = "mapping values are not allowed here";
const SECOND_DOCUMENT = "expected a single document in the stream, but found another document";
const FLOW =
  "Found ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear literally)";
const ANCHOR =
  "Found confusing disallowed anchor token (surround with ' and ' to make text appear literally)";
const ALIAS = "found undefined alias";
const TAG = "Found disallowed tag tokens (do not specify types in markup)";
const INDENTATION = "Found mapping with indentation inconsistent with previous mapping";

function findDisallowed(contents: Yaml.Node, lines: Yaml.LineCounter): StrictFault | undefined {
  const { visit, isNode, isMap } = loadYaml();
  const place = (node: Yaml.Node) => lines.linePos(node.range?.[0] ?? 0);
  let fault: StrictFault | undefined;
  const reject = (problem: string, node: Yaml.Node): symbol => {
    fault = { problem, line: place(node).line };
    return visit.BREAK;
  };
  visit(contents, {
    Alias: (_, node) => reject(ALIAS, node),
    Value: (_, node) => {
      if (node.tag !== undefined) return reject(TAG, node);
      if (node.anchor !== undefined) return reject(ANCHOR, node);
      if ("flow" in node && node.flow === true) return reject(FLOW, node);
      if (!isMap(node)) return undefined;
      const keys = new Set<string>();
      const columns = new Set<number>();
      for (const { key, value } of node.items) {
        const text = String(key);
        if (keys.has(text)) return reject(`Duplicate key '${text}' found`, isNode(key) ? key : node);
        keys.add(text);
        if (isMap(value) && columns.add(place(value).col).size > 1) return reject(INDENTATION, value);
      }
      return undefined;
    },
  });
  return fault;
}
