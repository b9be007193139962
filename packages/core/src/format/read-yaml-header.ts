import type * as Yaml from "yaml";
import type { Document, Node } from "yaml";
import { describeYamlErrors, type HeaderFault, UNQUOTED_COLON } from "./describe-yaml-errors.ts";
import { MAX_HEADER_DEPTH } from "./format-limits.ts";
import { loadYaml } from "./load-yaml.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";
import { resolvePlainScalar } from "./plain-scalar.ts";
import {
  createRawMap,
  type HeaderNote,
  type HeaderNoteCode,
  type RawHeader,
  type RawValue,
} from "./raw-header.ts";

const CORE_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

/** Reads a header with the YAML library: any YAML 1.2, without anchors, aliases and tags of its own. */
export function readYamlHeader(text: string): RawHeader | HeaderFault {
  const parsed = parseYaml(text, { maxDepth: MAX_HEADER_DEPTH, resolveKnownTags: false });
  if (isTooDeep(parsed)) {
    const { line, column } = parsed;
    // Lines with colons that want quotes are no nesting, and a repair may help.
    if (parsed.tooDeep === "colons") return { ...UNQUOTED_COLON, kind: "invalid", line, column };
    return { ...TOO_DEEP, kind: "refused", line, column };
  }
  const { document, lines, secondStart } = parsed;
  if (document.errors.length > 0) return describeYamlErrors(document.errors, lines);
  if (secondStart !== undefined) {
    const { line, col: column } = lines.linePos(secondStart);
    return { ...SECOND_DOCUMENT, kind: "invalid", line, column };
  }
  return new HeaderBuilder(loadYaml(), lines, document).build();
}

/** Whether reading a header failed. */
export function isHeaderFault(read: RawHeader | HeaderFault): read is HeaderFault {
  return "kind" in read;
}

const TOO_DEEP = {
  code: "header-too-deep",
  message: `The header nests maps and lists more than ${MAX_HEADER_DEPTH} deep.`,
  hint: "Flatten it, or move the data to a file of its own.",
} as const;
const ALIAS = {
  code: "yaml-alias",
  message:
    "The header uses a YAML anchor or alias, which is refused because a few of them can expand without end.",
  hint: "Write the value out, or put it in quotes if it is meant as text.",
} as const;
const TAG = {
  code: "yaml-tag",
  message: "The header uses a YAML tag, which is refused: headers are plain data.",
  hint: "Remove the tag, or put the value in quotes if it is meant as text.",
} as const;
const DIRECTIVE = {
  code: "yaml-directive",
  message: "The header holds a YAML directive, which is refused because it changes what the rest means.",
  hint: "Remove the line that begins with a percent sign.",
} as const;
const SECOND_DOCUMENT = {
  code: "invalid-yaml",
  message: "The header holds a second YAML document, which begins here.",
  hint: "Remove the line that separates the two.",
} as const;
const COMPLEX_KEY = {
  code: "invalid-yaml",
  message: "A key of the header is a list or a map.",
  hint: "Use plain text as the key.",
} as const;
const NOT_MAP = {
  code: "header-not-map",
  message: "The header is not a map of keys to values.",
  hint: "Write one `key: value` on each line, beginning with name and description.",
} as const;

type Refusal = Pick<HeaderFault, "code" | "message" | "hint">;

/** Copies a document into raw values and stops at the first thing that is not let in. */
class HeaderBuilder {
  private readonly yaml: typeof Yaml;
  private readonly lines: Yaml.LineCounter;
  private readonly notes: HeaderNote[] = [];
  private readonly document: Document.Parsed;
  private fault: HeaderFault | undefined = undefined;
  private insideFlow = false;

  constructor(yaml: typeof Yaml, lines: Yaml.LineCounter, document: Document.Parsed) {
    this.yaml = yaml;
    this.lines = lines;
    this.document = document;
  }

  build(): RawHeader | HeaderFault {
    const { document } = this;
    const { contents } = document;
    if (
      document.directives?.yaml.explicit === true ||
      Object.keys(document.directives?.tags ?? {}).length > 1
    ) {
      return { ...DIRECTIVE, kind: "refused", line: 1, column: 1 };
    }
    if (contents === null || (this.yaml.isScalar(contents) && contents.value === null)) {
      return { keys: [], values: [], notes: [] };
    }
    if (!this.yaml.isMap(contents)) {
      const { line, col: column } = this.lines.linePos(contents.range[0]);
      return { ...NOT_MAP, kind: "not-map", line, column };
    }
    const entries = new Map<string, RawValue>();
    if (contents.flow === true) this.note("flow-style", contents);
    this.insideFlow = contents.flow === true;
    this.readEntries(contents, 1, (key, value) => entries.set(key, value));
    return this.fault ?? { keys: [...entries.keys()], values: [...entries.values()], notes: this.notes };
  }

  private readEntries(map: Yaml.YAMLMap, depth: number, set: (key: string, value: RawValue) => void): void {
    this.checkNode(map, depth);
    const seen = new Set<string>();
    for (const { key, value } of map.items) {
      if (this.fault !== undefined) return;
      const name = this.readKey(key, map);
      if (seen.has(name)) this.note("duplicate-key", key, name);
      seen.add(name);
      set(name, this.readValue(value, depth + 1));
    }
  }

  private readKey(key: unknown, map: Yaml.YAMLMap): string {
    if (key === null) return "";
    if (!this.yaml.isScalar(key)) {
      this.refuse(this.yaml.isAlias(key) ? ALIAS : COMPLEX_KEY, this.yaml.isNode(key) ? key : map);
      return "";
    }
    this.checkNode(key, 1);
    return typeof key.value === "string" ? key.value : (key.source ?? "");
  }

  private readValue(node: unknown, depth: number): RawValue {
    if (node === null || node === undefined || this.fault !== undefined) return null;
    if (this.yaml.isScalar(node)) return this.readScalar(node);
    if (this.yaml.isMap(node) || this.yaml.isSeq(node)) return this.readCollection(node, depth);
    this.refuse(ALIAS, node as Node);
    return null;
  }

  private readScalar(scalar: Yaml.Scalar): RawValue {
    this.checkNode(scalar, 1);
    const { value, source } = scalar;
    if (scalar.tag === undefined && scalar.type === "PLAIN") return resolvePlainScalar(source ?? "");
    if (typeof value === "number") return String(value) === source ? value : (source ?? "");
    return typeof value === "boolean" || value === null ? value : String(value);
  }

  private readCollection(node: Yaml.YAMLMap | Yaml.YAMLSeq, depth: number): RawValue {
    this.checkNode(node, depth);
    if (this.fault !== undefined) return null;
    const outermost = node.flow === true && !this.insideFlow;
    if (outermost) {
      this.note("flow-style", node);
      this.insideFlow = true;
    }
    const value = this.yaml.isMap(node) ? this.readMap(node, depth) : this.readList(node, depth);
    if (outermost) this.insideFlow = false;
    return value;
  }

  private readMap(node: Yaml.YAMLMap, depth: number): RawValue {
    const map = createRawMap();
    this.readEntries(node, depth, (key, value) => {
      map[key] = value;
    });
    return map;
  }

  private readList(node: Yaml.YAMLSeq, depth: number): RawValue {
    const list: RawValue[] = [];
    for (const item of node.items) {
      if (this.fault !== undefined) return null;
      list.push(this.readValue(item, depth + 1));
    }
    return list;
  }

  private checkNode(node: Yaml.Scalar | Yaml.YAMLMap | Yaml.YAMLSeq, depth: number): void {
    // A pair in a list is a map that the parser does not count.
    if (depth > MAX_HEADER_DEPTH) this.refuse(TOO_DEEP, node);
    else if (node.anchor !== undefined) this.refuse(ALIAS, node);
    else if (node.tag !== undefined && !CORE_TAG.test(node.tag)) this.refuse(TAG, node);
  }

  private refuse(refusal: Refusal, node: Node): void {
    if (this.fault !== undefined) return;
    // An alias of nothing is a text such as *this*, which a repair can quote.
    const isText = this.yaml.isAlias(node) && node.resolve(this.document) === undefined;
    const kind = isText || refusal === COMPLEX_KEY ? "invalid" : "refused";
    this.fault = { ...refusal, kind, ...this.place(node) };
  }

  private note(code: HeaderNoteCode, node: unknown, subject?: string): void {
    const place = this.place(this.yaml.isNode(node) ? node : undefined);
    this.notes.push(subject === undefined ? { code, ...place } : { code, ...place, subject });
  }

  private place(node: Node | undefined): { line: number; column: number } {
    const { line, col: column } = this.lines.linePos(node?.range?.[0] ?? 0);
    return { line: Math.max(1, line), column: Math.max(1, column) };
  }
}
