import type { Act, DataSource, DeclarationFact, HiddenFact, Sink } from "../../fact/fact.ts";
import type { Language } from "../../file/file-kind.ts";
import type { Stance } from "../../text/source-text.ts";
import { wordSet } from "../../word-list.ts";
import { FactWriter, type Span } from "../fact-writer.ts";

export type DataNode = DataMap | DataList | DataScalar;

/** Keys stay in order and may be duplicated: some readers use the last value, others the first. */
export interface DataMap {
  readonly kind: "map";
  readonly entries: readonly DataEntry[];
}

export interface DataEntry extends Span {
  readonly key: string;
  readonly value: DataNode;
}

export function entryAt(key: string, from: number, value: DataNode): DataEntry {
  return { key, from, to: from + key.length, value };
}

interface DataList {
  readonly kind: "list";
  readonly items: readonly DataNode[];
}

export interface DataScalar extends Span {
  readonly kind: "scalar";
  /** Decoded: without escapes and quotes. */
  readonly text: string;
  readonly isString: boolean;
  /** Whether it is a block, whose lines are the file's lines after the one where it begins. */
  readonly isBlock: boolean;
}

export function stringAt(text: string, from: number, to: number = from + text.length): DataScalar {
  return { kind: "scalar", text, isString: true, from, to, isBlock: false };
}

export interface DataReading {
  readonly root: DataNode;
  readonly fault?: string | undefined;
  /** The bound that was reached, if any: then part of the text was not read as data. */
  readonly limit?: string | undefined;
}

export const MAX_DATA_DEPTH = 64;

export const TOO_DEEP: string = `it nests deeper than ${MAX_DATA_DEPTH} maps and lists`;

export function valueAt(node: DataNode | undefined, ...path: readonly string[]): DataNode | undefined {
  let current = node;
  for (const key of path) {
    if (current?.kind !== "map") return undefined;
    current = current.entries.findLast((entry) => entry.key.toLowerCase() === key.toLowerCase())?.value;
  }
  return current;
}

export function scalarsOf(node: DataNode | undefined): readonly DataScalar[] {
  if (node === undefined || node.kind === "map") return [];
  if (node.kind === "scalar") return [node];
  return node.items.filter((item) => item.kind === "scalar");
}

export function scalarAt(node: DataNode | undefined, ...path: readonly string[]): DataScalar | undefined {
  return scalarsOf(valueAt(node, ...path))[0];
}

export function entriesOf(node: DataNode | undefined): readonly DataEntry[] {
  return node?.kind === "map" ? node.entries : [];
}

export function firstScalar(node: DataNode): DataScalar | undefined {
  if (node.kind === "scalar") return node;
  const children = node.kind === "list" ? node.items : node.entries.map((entry) => entry.value);
  for (const child of children) {
    const scalar = firstScalar(child);
    if (scalar !== undefined) return scalar;
  }
  return undefined;
}

interface DataVisitor {
  readonly node?: (node: DataNode, path: readonly string[]) => void;
  readonly entry?: (entry: DataEntry, path: readonly string[]) => void;
  /** `path` ends with the scalar's own key. */
  readonly scalar?: (scalar: DataScalar, path: readonly string[]) => void;
}

export function walkData(node: DataNode, visitor: DataVisitor): void {
  const path: string[] = [];
  visit(node);

  function visit(current: DataNode): void {
    visitor.node?.(current, path);
    if (current.kind === "scalar") visitor.scalar?.(current, path);
    else if (current.kind === "list") for (const item of current.items) visit(item);
    else
      for (const entry of current.entries) {
        visitor.entry?.(entry, path);
        path.push(entry.key.toLowerCase());
        visit(entry.value);
        path.pop();
      }
  }
}

type AgentConfig = Extract<Act, { readonly type: "agent-config" }>;

export class DataWriter extends FactWriter {
  readonly #handedOn = new Set<number>();

  agentConfig(what: AgentConfig["what"], text: string, first: Span, last?: Span): void {
    this.act({ type: "agent-config", what, path: this.source.file, text }, first, last);
  }

  flow(source: DataSource, sink: Sink, span: Span): void {
    this.addFlow([source], sink, [], this.placeOf(span));
  }

  declare(what: DeclarationFact["what"], value: string, span: Span): void {
    this.add({ kind: "declaration", what, value, ...this.placeOf(span) });
  }

  hide(how: HiddenFact["how"], scalar: DataScalar): void {
    this.add({ kind: "hidden", how, text: scalar.text, ...this.placeOf(scalar) });
  }

  /** An inner text to be analysed next; a block keeps the lines of the file. */
  text(language: Language, scalar: DataScalar, options: { text?: string; stance?: Stance } = {}): void {
    const { source } = this;
    const keepsLines = source.keepsLines && scalar.isBlock && options.text === undefined;
    const hasRoom = this.addText({
      ...source,
      language,
      text: options.text ?? scalar.text,
      firstLine: this.lineOf(scalar.from) + (keepsLines && !scalar.text.startsWith("\n") ? 1 : 0),
      keepsLines,
      medium: DOCUMENTED.has(source.medium) ? source.medium : "config",
      stance: source.stance === "live" ? (options.stance ?? "live") : source.stance,
    });
    if (hasRoom) this.#handedOn.add(scalar.from);
  }

  isHandedOn({ from }: DataScalar): boolean {
    return this.#handedOn.has(from);
  }
}

const DOCUMENTED: ReadonlySet<string> = wordSet("fence inline-code frontmatter quote");
