import type { Act } from "../../fact/act.ts";
import type { DataSource } from "../../fact/data-source.ts";
import {
  type DeclarationFact,
  type Fact,
  type FactPlace,
  type HiddenFact,
  placeIn,
} from "../../fact/fact.ts";
import type { Sink } from "../../fact/sink.ts";
import type { Language } from "../../file/file-kind.ts";
import { LineIndex } from "../../text/line-index.ts";
import type { SourceText, Stance } from "../../text/source-text.ts";
import { wordSet } from "../../word-list.ts";
import type { Analysis } from "../analyser.ts";
import type { DataScalar } from "./data-node.ts";

export class DataWriter {
  readonly source: SourceText;
  readonly facts: Fact[] = [];
  readonly texts: SourceText[] = [];
  readonly #lines: LineIndex;
  readonly #handedOn = new Set<number>();
  /** `false` once a bound on inner texts is reached. */
  #hasRoom = true;

  constructor(source: SourceText) {
    this.source = source;
    this.#lines = new LineIndex(source);
  }

  finish(unread?: string): Analysis {
    const reason = unread ?? (this.#hasRoom ? undefined : `more than ${MAX_INNER_TEXTS} commands and texts`);
    return { facts: this.facts, texts: this.texts, ...(reason !== undefined && { unread: reason }) };
  }

  lineOf(offset: number): number {
    return this.#lines.at(offset);
  }

  addAct(act: Act, start: number, end: number): void {
    this.facts.push({ kind: "act", act, ...this.#place(start, end) });
  }

  addFlow(from: DataSource, sink: Sink, { start, end }: DataScalar): void {
    this.facts.push({ kind: "flow", sources: [from], sink, steps: [], ...this.#place(start, end) });
  }

  addDeclaration(what: DeclarationFact["what"], value: string, start: number, end: number): void {
    this.facts.push({ kind: "declaration", what, value, ...this.#place(start, end) });
  }

  addHidden(how: HiddenFact["how"], { text, start, end }: DataScalar): void {
    this.facts.push({ kind: "hidden", how, text, ...this.#place(start, end) });
  }

  /** A text inside, to be analysed next; a block keeps the lines of the file. */
  addText(language: Language, scalar: DataScalar, options: { text?: string; stance?: Stance } = {}): void {
    if (this.texts.length >= MAX_INNER_TEXTS) {
      this.#hasRoom = false;
      return;
    }
    const { source } = this;
    this.#handedOn.add(scalar.start);
    const keepsLines = source.keepsLines && scalar.isBlock && options.text === undefined;
    this.texts.push({
      ...source,
      language,
      text: options.text ?? scalar.text,
      firstLine: this.lineOf(scalar.start) + (keepsLines && !scalar.text.startsWith("\n") ? 1 : 0),
      keepsLines,
      medium: DOCUMENTED.has(source.medium) ? source.medium : "config",
      stance: source.stance === "live" ? (options.stance ?? "live") : source.stance,
    });
  }

  isHandedOn({ start }: DataScalar): boolean {
    return this.#handedOn.has(start);
  }

  #place(start: number, end: number): FactPlace {
    return placeIn(this.source, this.lineOf(start), this.source.text.slice(start, end));
  }
}

/** More commands than any honest manifest has; the pipeline's own bound lies above it. */
const MAX_INNER_TEXTS = 1_000;
const DOCUMENTED: ReadonlySet<string> = wordSet("fence inline-code frontmatter quote");
