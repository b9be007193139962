import type { Act } from "../../fact/act.ts";
import type { DataSource } from "../../fact/data-source.ts";
import { type Fact, type FactPlace, placeIn } from "../../fact/fact.ts";
import type { Sink } from "../../fact/sink.ts";
import type { Language } from "../../file/file-kind.ts";
import { LineIndex } from "../../text/line-index.ts";
import type { Derivation, SourceText } from "../../text/source-text.ts";
import type { Span } from "./program-tree.ts";
import { HOLE, type Taint } from "./value.ts";

/** The most that one program may report; generated code with more acts than this repeats itself. */
const MAX_FACTS = 2_000;
const MAX_TEXTS = 500;

/** Collects the facts of one program, each once however often its code was followed. */
export class FactRecorder {
  readonly facts: Fact[] = [];
  readonly #texts: SourceText[] = [];
  readonly #source: SourceText;
  readonly #seen = new Set<string>();
  readonly #handed = new Set<string>();
  readonly #lines: LineIndex;
  readonly #prefix: string;

  /** Of a sibling, lines are named with their file, since they are read in another's findings. */
  constructor(source: SourceText, role: "main" | "sibling" = "main") {
    this.#source = source;
    this.#prefix = role === "sibling" ? `${source.file} ` : "";
    this.#lines = new LineIndex(source);
  }

  /** The texts to analyse next; of two that are the same, the one that tells more of its way. */
  get texts(): readonly SourceText[] {
    const best = new Map<string, SourceText>();
    for (const text of this.#texts) {
      const key = `${text.firstLine} ${text.language} ${text.text}`;
      if (text.chain.length >= (best.get(key)?.chain.length ?? 0)) best.set(key, text);
    }
    return this.#texts.filter((text) => best.get(`${text.firstLine} ${text.language} ${text.text}`) === text);
  }

  get textCount(): number {
    return this.#texts.length;
  }

  textsSince(count: number): readonly SourceText[] {
    return this.#texts.slice(count);
  }

  act(span: Span, act: Act): void {
    if (this.#isNew(`act ${span.from} ${JSON.stringify(act)}`, this.facts.length, MAX_FACTS))
      this.facts.push({ kind: "act", act, ...this.#place(span) });
  }

  flow(span: Span, taints: readonly Taint[], sink: Sink): void {
    if (taints.length === 0) return;
    const sources = taints.map((taint) => shown(taint.source));
    if (!this.#isNew(`flow ${span.from} ${JSON.stringify([sources, sink])}`, this.facts.length, MAX_FACTS))
      return;
    const steps = [...new Set(taints.flatMap((taint) => taint.steps))].slice(0, 12);
    this.facts.push({ kind: "flow", sources, sink, steps, ...this.#place(span) });
  }

  text(span: Span, text: string, language: Language, derivations: readonly string[]): void {
    if (!this.#isNew(`text ${span.from} ${language} ${text}`, this.#texts.length, MAX_TEXTS)) return;
    const line = this.lineOf(span.from);
    this.#handed.add(text);
    this.#texts.push({
      ...this.#source,
      text,
      language,
      firstLine: line,
      keepsLines: false,
      chain: [...this.#source.chain, ...derivations.map((how): Derivation => ({ how, line }))],
      isRepetition: false,
    });
  }

  hasHanded(text: string): boolean {
    return this.#handed.has(text);
  }

  holds(text: string): boolean {
    return this.#source.text.includes(text);
  }

  step(span: Span): string {
    const words = this.#source.text.slice(span.from, Math.min(span.to, span.from + 80)).replace(/\s+/g, " ");
    return `${this.#prefix}line ${this.lineOf(span.from)}: ${words}`;
  }

  textOf({ from, to }: Span): string {
    return this.#source.text.slice(from, to);
  }

  lineOf(offset: number): number {
    return this.#lines.at(offset);
  }

  #place({ from, to }: Span): FactPlace {
    return placeIn(this.#source, this.lineOf(from), this.textOf({ from, to }));
  }

  #isNew(key: string, count: number, limit: number): boolean {
    if (count >= limit || this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}

/** A text as facts show it: unknown parts as `*`. */
export function display(text: string): string {
  return text.replaceAll(HOLE, "*");
}

function shown(source: DataSource): DataSource {
  if (source.type === "decoded" && source.text?.includes(HOLE))
    return { ...source, text: display(source.text) };
  return source;
}
