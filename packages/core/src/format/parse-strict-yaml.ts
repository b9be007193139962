import type * as Yaml from "yaml";
import { MAX_HEADER_DEPTH } from "./format-limits.ts";
import { loadYaml } from "./load-yaml.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";

/** A value of the YAML subset that `strictyaml` accepts: every scalar is text. */
export type StrictValue = string | readonly StrictValue[] | ReadonlyMap<string, StrictValue>;

/** Why a text is outside the subset. */
export interface StrictFault {
  readonly problem: string;
  readonly line: number;
}

/**
 * Reads a text as Python's `strictyaml` does, which the reference validator is built on.
 *
 * It rejects flow collections, anchors, aliases, tags, duplicate keys and maps whose siblings are indented differently.
 */
export function parseStrictYaml(text: string): { readonly value: StrictValue } | StrictFault {
  if (NOT_PRINTABLE.test(text)) return { problem: "special characters are not allowed", line: 1 };
  const parsed = parseYaml(text, { maxDepth: MAX_HEADER_DEPTH });
  if (isTooDeep(parsed)) {
    const isColon = parsed.tooDeep === "colons";
    return { problem: isColon ? COLON : "collections are nested too deep", line: parsed.line };
  }
  const { document, lines, secondStart } = parsed;
  const [error] = document.errors;
  if (error !== undefined) return { problem: describe(error), line: lines.linePos(error.pos[0]).line };
  if (secondStart !== undefined) return { problem: SECOND_DOCUMENT, line: lines.linePos(secondStart).line };
  const yaml = loadYaml();
  const reader = new StrictReader(yaml, lines);
  // A document without a collection is its own text.
  const isCollection = yaml.isCollection(document.contents);
  const value = isCollection || yaml.isAlias(document.contents) ? reader.read(document.contents) : text;
  return reader.fault ?? { value };
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

class StrictReader {
  fault: StrictFault | undefined = undefined;
  private readonly yaml: typeof Yaml;
  private readonly lines: Yaml.LineCounter;

  constructor(yaml: typeof Yaml, lines: Yaml.LineCounter) {
    this.yaml = yaml;
    this.lines = lines;
  }

  read(node: unknown): StrictValue {
    if (!this.yaml.isNode(node) || this.fault !== undefined) return "";
    if (this.yaml.isAlias(node)) this.reject(ALIAS, node);
    else if (node.tag !== undefined) this.reject(TAG, node);
    else if (this.hasAnchor(node)) this.reject(ANCHOR, node);
    else if (this.yaml.isScalar(node)) return readScalar(node);
    else if (this.yaml.isCollection(node)) return this.readCollection(node);
    return "";
  }

  private hasAnchor(node: Yaml.Node): boolean {
    return (this.yaml.isScalar(node) || this.yaml.isCollection(node)) && node.anchor !== undefined;
  }

  private readCollection(node: Yaml.YAMLMap | Yaml.YAMLSeq): StrictValue {
    if (node.flow === true) this.reject(FLOW, node);
    return this.yaml.isMap(node) ? this.readMap(node) : node.items.map((item) => this.read(item));
  }

  private readMap(node: Yaml.YAMLMap): StrictValue {
    const map = new Map<string, StrictValue>();
    let column: number | undefined;
    for (const { key, value } of node.items) {
      const name = this.read(key);
      const text = typeof name === "string" ? name : JSON.stringify(name);
      if (map.has(text)) this.reject(`Duplicate key '${text}' found`, this.yaml.isNode(key) ? key : node);
      map.set(text, this.read(value));
      if (!this.yaml.isMap(value)) continue;
      const start = this.position(value).column;
      column ??= start;
      if (start !== column) this.reject(INDENTATION, value);
    }
    return map;
  }

  private reject(problem: string, node: Yaml.Node): void {
    this.fault ??= { problem, line: this.position(node).line };
  }

  private position(node: Yaml.Node): { line: number; column: number } {
    const { line, col: column } = this.lines.linePos(node.range?.[0] ?? 0);
    return { line, column };
  }
}

function readScalar(node: Yaml.Scalar): string {
  return typeof node.value === "string" ? node.value : (node.source ?? "");
}
