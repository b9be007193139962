import type { Range } from "@skillet/kit/diagnostics";
import type { Located, LocatedEntry } from "@skillet/kit/located";
import type { Document, LineCounter, Node, Pair } from "yaml";
import { showKeyPath } from "./key-path.ts";
import { loadYaml } from "./load-yaml.ts";
import { isTooDeep, type ParsedYaml, parseYaml, type YamlTooDeep } from "./parse-yaml.ts";

export function locateYaml(text: string): { readonly root: Located; readonly faults: readonly YamlFault[] } {
  const composed = composeYaml(text);
  if (!("document" in composed)) return { root: { kind: "map", entries: [] }, faults: [composed] };
  const faults = [...composed.faults];
  const { contents } = composed.document;
  const root: Located =
    contents === null ? { kind: "scalar", value: null } : convert(contents, composed, faults);
  return { root, faults };
}

function convert(node: Node, composed: ComposedYaml, faults: YamlFault[]): Located {
  const { isAlias, isMap, isScalar, isSeq } = loadYaml();
  const range = composed.rangeOf(node.range?.[0] ?? 0, node.range?.[1] ?? 0);
  if (isMap(node)) return { kind: "map", entries: convertEntries(node.items, composed, faults), range };
  if (isSeq(node))
    return {
      kind: "list",
      items: (node.items as Node[]).map((item) => convert(item, composed, faults)),
      range,
    };
  if (isAlias(node)) {
    faults.push({
      range,
      message: "aliases are not supported",
      hint: "repeat the value instead of `*` and its name",
    });
    return { kind: "scalar", value: null, range };
  }
  const value = isScalar(node) ? node.value : null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return { kind: "scalar", value, range };
  return { kind: "scalar", value: null, range };
}

function convertEntries(pairs: readonly Pair[], composed: ComposedYaml, faults: YamlFault[]): LocatedEntry[] {
  const seen = new Set<string>();
  return pairs.map((pair) => {
    const keyNode = pair.key as Node;
    const keyRange = composed.rangeOf(keyNode.range?.[0] ?? 0, keyNode.range?.[1] ?? 0);
    const key = loadYaml().isScalar(keyNode) ? String(keyNode.value) : "";
    if (seen.has(key)) {
      faults.push({
        range: keyRange,
        message: `the key ${showKeyPath([key])} is there twice`,
        hint: "keep one of them",
      });
    }
    seen.add(key);
    const value =
      pair.value === null
        ? { kind: "scalar" as const, value: null, range: keyRange }
        : convert(pair.value as Node, composed, faults);
    return { key, keyRange, value };
  });
}

// Skillet's own files nest at most five levels.
const MAX_DEPTH = 32;

// The library may quote all of the text that it does not understand.
const MAX_MESSAGE_CHARACTERS = 200;

export interface YamlFault {
  readonly range: Range;
  readonly message: string;
  readonly hint: string;
}

/** A YAML text as an editable document; do not use it if there are faults. */
export interface ComposedYaml {
  readonly document: Document.Parsed;
  readonly faults: readonly YamlFault[];
  readonly rangeOf: (start: number, end: number) => Range;
}

/** Parses one YAML document; reports excessive nesting before it builds the document. */
export function composeYaml(text: string): ComposedYaml | YamlFault {
  const parsed = parseYaml(text, {
    maxDepth: MAX_DEPTH,
    stringKeys: true,
    resolveKnownTags: false,
    logLevel: "silent",
  });
  if (isTooDeep(parsed)) return describeDepth(parsed);
  const { document, lines } = parsed;
  const rangeOf = (start: number, end: number): Range => locate(lines, start, end);
  return { document, faults: collectFaults(parsed, rangeOf), rangeOf };
}

function describeDepth({ tooDeep, line, column }: YamlTooDeep): YamlFault {
  const range = { line, column };
  if (tooDeep === "colons") {
    const message =
      "this is not valid YAML: the value holds a colon and a space, which is read as another key";
    return { range, message, hint: "put the whole value in quotes" };
  }
  const message = `maps and lists are nested more than ${MAX_DEPTH} deep`;
  return { range, message, hint: "look for brackets that are never closed" };
}

function collectFaults(parsed: ParsedYaml, rangeOf: ComposedYaml["rangeOf"]): readonly YamlFault[] {
  const { document, secondStart, stoppedAt } = parsed;
  const found = [...document.errors, ...document.warnings];
  // Brackets that are never closed are all reported at the same position.
  const first = found.filter(({ pos }, at) => found.findIndex((one) => one.pos[0] === pos[0]) === at);
  const faults = first.map(
    ({ pos, message }): YamlFault => ({
      range: rangeOf(pos[0], pos[1]),
      message: `this is not valid YAML: ${message.slice(0, MAX_MESSAGE_CHARACTERS)}`,
      hint: "check quotes, colons and indentation here and on the line above",
    }),
  );
  if (secondStart !== undefined) {
    faults.push({
      range: rangeOf(secondStart, secondStart + 1),
      message: "there is a second document",
      hint: "remove the `---` line",
    });
  }
  if (stoppedAt !== undefined) {
    faults.push({
      range: rangeOf(stoppedAt, stoppedAt + 1),
      message: "the rest of the file is not looked at, because so much before it is not valid YAML",
      hint: "correct that first",
    });
  }
  return faults;
}

function locate(counter: LineCounter, start: number, end: number): Range {
  const from = counter.linePos(start);
  const to = counter.linePos(Math.max(start, end));
  return {
    line: Math.max(1, from.line),
    column: Math.max(1, from.col),
    endLine: Math.max(1, to.line),
    endColumn: Math.max(1, to.col),
  };
}
