import type { Act } from "../../fact/act.ts";
import type { DataSource } from "../../fact/data-source.ts";
import type { DeclarationFact, HiddenFact } from "../../fact/fact.ts";
import type { Sink } from "../../fact/sink.ts";
import type { Language } from "../../file/file-kind.ts";
import type { Stance } from "../../text/source-text.ts";
import { wordSet } from "../../word-list.ts";
import type { Span } from "../analyser.ts";
import { FactWriter } from "../fact-writer.ts";
import type { DataScalar } from "./data-node.ts";

type AgentConfig = Extract<Act, { readonly type: "agent-config" }>;

export class DataWriter extends FactWriter {
  readonly #handedOn = new Set<number>();

  /** A setting of an agent's that this file makes. */
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

  /** A text inside, to be analysed next; a block keeps the lines of the file. */
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
