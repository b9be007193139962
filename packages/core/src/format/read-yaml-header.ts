import type * as Yaml from "yaml";
import type { Document, LineCounter, Node, YAMLError } from "yaml";
import { MAX_HEADER_DEPTH } from "./format-limits.ts";
import { loadYaml } from "./load-yaml.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";
import {
  createRawMap,
  type HeaderNote,
  type HeaderNoteCode,
  type RawHeader,
  type RawValue,
  resolvePlainScalar,
} from "./raw-header.ts";

const CORE_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

/** Reads a header with the YAML library: any YAML 1.2 without anchors, aliases and custom tags. */
export function readYamlHeader(text: string): RawHeader | HeaderFault {
  const parsed = parseYaml(text, { maxDepth: MAX_HEADER_DEPTH, resolveKnownTags: false });
  if (isTooDeep(parsed)) {
    const { line, column } = parsed;
    // Lines with unquoted colons are not nested, and a repair may help.
    if (parsed.tooDeep === "colons") return { ...UNQUOTED_COLON, kind: "invalid", line, column };
    return { ...TOO_DEEP, kind: "refused", line, column };
  }
  const { document, lines, secondStart } = parsed;
  if (document.errors.length > 0) return describeYamlErrors(document.errors, lines);
  if (secondStart !== undefined) {
    const { line, col: column } = lines.linePos(secondStart);
    return { ...SECOND_DOCUMENT, kind: "invalid", line, column };
  }
  return new HeaderBuilder(document, lines).build();
}

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

class RefusedHeader extends Error {
  readonly fault: HeaderFault;

  constructor(fault: HeaderFault) {
    super(fault.message);
    this.fault = fault;
  }
}

class HeaderBuilder {
  private readonly yaml: typeof Yaml = loadYaml();
  private readonly document: Document.Parsed;
  private readonly lines: LineCounter;
  private readonly notes: HeaderNote[] = [];
  private insideFlow = false;

  constructor(document: Document.Parsed, lines: LineCounter) {
    this.document = document;
    this.lines = lines;
  }

  build(): RawHeader | HeaderFault {
    try {
      return { values: this.readTop(), notes: this.notes };
    } catch (error) {
      if (error instanceof RefusedHeader) return error.fault;
      throw error;
    }
  }

  private readTop(): ReadonlyMap<string, RawValue> {
    const values = new Map<string, RawValue>();
    const { contents, directives } = this.document;
    if (directives?.yaml.explicit === true || Object.keys(directives?.tags ?? {}).length > 1)
      throw new RefusedHeader({ ...DIRECTIVE, kind: "refused", line: 1, column: 1 });
    if (contents === null || (this.yaml.isScalar(contents) && contents.value === null)) return values;
    if (!this.yaml.isMap(contents))
      throw new RefusedHeader({ ...NOT_MAP, kind: "not-map", ...this.place(contents) });
    this.insideFlow = contents.flow === true;
    if (this.insideFlow) this.note("flow-style", contents);
    this.checkNode(contents, 1);
    this.readEntries(contents, 1, (key, value) => values.set(key, value));
    return values;
  }

  private readEntries(map: Yaml.YAMLMap, depth: number, set: (key: string, value: RawValue) => void): void {
    const seen = new Set<string>();
    for (const { key, value } of map.items) {
      const name = this.readKey(key, map);
      if (seen.has(name)) this.note("duplicate-key", key);
      seen.add(name);
      set(name, this.readValue(value, depth + 1));
    }
  }

  private readKey(key: unknown, map: Yaml.YAMLMap): string {
    if (key === null) return "";
    if (!this.yaml.isScalar(key))
      this.refuse(this.yaml.isAlias(key) ? ALIAS : COMPLEX_KEY, this.yaml.isNode(key) ? key : map);
    this.checkNode(key, 1);
    return typeof key.value === "string" ? key.value : (key.source ?? "");
  }

  private readValue(node: unknown, depth: number): RawValue {
    if (node === null || node === undefined) return null;
    if (this.yaml.isScalar(node)) return this.readScalar(node);
    if (!this.yaml.isMap(node) && !this.yaml.isSeq(node)) this.refuse(ALIAS, node as Node);
    this.checkNode(node, depth);
    const isOutermost = node.flow === true && !this.insideFlow;
    if (isOutermost) this.note("flow-style", node);
    this.insideFlow ||= isOutermost;
    const value = this.yaml.isMap(node)
      ? this.readMap(node, depth)
      : node.items.map((item) => this.readValue(item, depth + 1));
    if (isOutermost) this.insideFlow = false;
    return value;
  }

  private readScalar(scalar: Yaml.Scalar): RawValue {
    this.checkNode(scalar, 1);
    const { value, source } = scalar;
    if (scalar.tag === undefined && scalar.type === "PLAIN") return resolvePlainScalar(source ?? "");
    if (typeof value === "number") return String(value) === source ? value : (source ?? "");
    return typeof value === "boolean" || value === null ? value : String(value);
  }

  private readMap(node: Yaml.YAMLMap, depth: number): RawValue {
    const map = createRawMap();
    this.readEntries(node, depth, (key, value) => {
      map[key] = value;
    });
    return map;
  }

  private checkNode(node: Yaml.Scalar | Yaml.YAMLMap | Yaml.YAMLSeq, depth: number): void {
    // A pair in a list is a map that the parser does not count.
    if (depth > MAX_HEADER_DEPTH) this.refuse(TOO_DEEP, node);
    if (node.anchor !== undefined) this.refuse(ALIAS, node);
    if (node.tag !== undefined && !CORE_TAG.test(node.tag)) this.refuse(TAG, node);
  }

  private refuse(refusal: Pick<HeaderFault, "code" | "message" | "hint">, node: Node): never {
    // An alias without a target is text such as *this*, which a repair can quote.
    const isText = this.yaml.isAlias(node) && node.resolve(this.document) === undefined;
    const kind = isText || refusal === COMPLEX_KEY ? "invalid" : "refused";
    throw new RefusedHeader({ ...refusal, kind, ...this.place(node) });
  }

  private note(code: HeaderNoteCode, node: unknown): void {
    this.notes.push({ code, ...this.place(this.yaml.isNode(node) ? node : undefined) });
  }

  private place(node: Node | undefined): { line: number; column: number } {
    const { line, col: column } = this.lines.linePos(node?.range?.[0] ?? 0);
    return { line: Math.max(1, line), column: Math.max(1, column) };
  }
}

/** Why a header is unreadable. A refused one is valid YAML that is not allowed, so repairs are not tried. */
export interface HeaderFault {
  readonly kind: "invalid" | "refused" | "not-map";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly line: number;
  readonly column: number;
  /** Further faults that are independent of this one. */
  readonly others?: readonly Omit<HeaderFault, "others">[];
}

const UNQUOTED_COLON = {
  code: "unquoted-colon",
  message: "The value holds a colon and a space, which YAML reads as another key.",
  hint: "Put the whole value in quotes.",
} as const;

// Each of these affects only its own value; after any other error the library may be lost.
const LOCAL: ReadonlySet<string> = new Set(["BLOCK_AS_IMPLICIT_KEY", "TAB_AS_INDENT", "BAD_SCALAR_START"]);

/** The first error of a text and the errors that are independent of it: at most one per line. */
function describeYamlErrors(errors: readonly YAMLError[], lines: LineCounter): HeaderFault {
  const [first, ...rest] = errors.toSorted((left, right) => left.pos[0] - right.pos[0]);
  if (first === undefined) throw new RangeError("there is no error to describe");
  const fault = describeError(first, lines);
  const others: HeaderFault[] = [];
  if (!LOCAL.has(first.code)) return fault;
  for (const error of rest) {
    if (!LOCAL.has(error.code)) break;
    const other = describeError(error, lines);
    if (other.line !== (others.at(-1) ?? fault).line) others.push(other);
  }
  return others.length === 0 ? fault : { ...fault, others };
}

function describeError(error: YAMLError, lines: LineCounter): HeaderFault {
  const { line, col: column } = lines.linePos(error.pos[0]);
  const place = { kind: "invalid", line: Math.max(1, line), column: Math.max(1, column) } as const;
  switch (error.code) {
    case "BLOCK_AS_IMPLICIT_KEY":
      return { ...place, ...UNQUOTED_COLON };
    case "TAB_AS_INDENT":
      return {
        ...place,
        code: "tab-indentation",
        message: "The line is indented with a tab, which YAML does not allow.",
        hint: "Indent with spaces.",
      };
    default:
      return {
        ...place,
        code: "invalid-yaml",
        message: `The header is not valid YAML: ${error.message.slice(0, MAX_MESSAGE_CHARACTERS).split("\n", 1)[0]}.`,
        hint: "Correct this line; values with colons, brackets or other special characters need quotes.",
      };
  }
}

// The library may quote all of the text that it does not understand.
const MAX_MESSAGE_CHARACTERS = 200;
