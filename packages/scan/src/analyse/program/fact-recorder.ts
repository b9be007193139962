import type { DataSource } from "../../fact/data-source.ts";
import type { Sink } from "../../fact/sink.ts";
import type { Language } from "../../file/file-kind.ts";
import type { Derivation, SourceText } from "../../text/source-text.ts";
import type { Span } from "../analyser.ts";
import { FactWriter } from "../fact-writer.ts";
import { HOLE, type Taint } from "./value.ts";

/** The facts of one program, each once however often its code was followed. */
export class FactRecorder extends FactWriter {
  readonly #handed = new Set<string>();
  readonly #prefix: string;

  /** Of a sibling, lines are named with their file, since they are read in another's findings. */
  constructor(source: SourceText, role: "main" | "sibling" = "main") {
    super(source);
    this.#prefix = role === "sibling" ? `${source.file} ` : "";
  }

  flow(span: Span, taints: readonly Taint[], sink: Sink): void {
    const steps = [...new Set(taints.flatMap((taint) => taint.steps))].slice(0, 12);
    const sources = taints.map((taint) => shown(taint.source));
    if (taints.length > 0) this.addFlow(sources, sink, steps, this.placeOf(span));
  }

  /** A text to analyse next; of two that are the same, the one that tells more of its way. */
  text(span: Span, text: string, language: Language, derivations: readonly string[] = []): void {
    const line = this.lineOf(span.from);
    const chain = [...this.source.chain, ...derivations.map((how): Derivation => ({ how, line }))];
    const known = this.texts.findIndex(
      (other) => other.firstLine === line && other.language === language && other.text === text,
    );
    const added = {
      ...this.source,
      text,
      language,
      firstLine: line,
      keepsLines: false,
      chain,
      isRepetition: false,
    };
    this.#handed.add(text);
    if (known === -1) this.addText(added);
    else if (chain.length > (this.texts[known]?.chain.length ?? 0)) this.texts[known] = added;
  }

  hasHanded(text: string): boolean {
    return this.#handed.has(text);
  }

  holds(text: string): boolean {
    return this.source.text.includes(text);
  }

  step(span: Span): string {
    const words = this.textOf({ from: span.from, to: Math.min(span.to, span.from + 80) }).replace(
      /\s+/g,
      " ",
    );
    return `${this.#prefix}line ${this.lineOf(span.from)}: ${words}`;
  }

  textOf({ from, to }: Span): string {
    return this.source.text.slice(from, to);
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
