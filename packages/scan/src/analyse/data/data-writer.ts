import type { Act } from "../../fact/act.ts";
import type { DataSource } from "../../fact/data-source.ts";
import type { DeclarationFact, HiddenFact } from "../../fact/fact.ts";
import type { Sink } from "../../fact/sink.ts";
import type { Language } from "../../file/file-kind.ts";
import type { Stance } from "../../text/source-text.ts";
import { wordSet } from "../../word-list.ts";
import { FactWriter } from "../fact-writer.ts";
import type { DataScalar } from "./data-node.ts";

export class DataWriter extends FactWriter {
  readonly #handedOn = new Set<number>();

  act(act: Act, from: number, to: number): void {
    this.addAct(act, this.placeOf({ from, to }));
  }

  flow(source: DataSource, sink: Sink, { start, end }: DataScalar): void {
    this.addFlow([source], sink, [], this.placeOf({ from: start, to: end }));
  }

  declare(what: DeclarationFact["what"], value: string, from: number, to: number): void {
    this.add({ kind: "declaration", what, value, ...this.placeOf({ from, to }) });
  }

  hide(how: HiddenFact["how"], { text, start, end }: DataScalar): void {
    this.add({ kind: "hidden", how, text, ...this.placeOf({ from: start, to: end }) });
  }

  /** A text inside, to be analysed next; a block keeps the lines of the file. */
  text(language: Language, scalar: DataScalar, options: { text?: string; stance?: Stance } = {}): void {
    const { source } = this;
    const keepsLines = source.keepsLines && scalar.isBlock && options.text === undefined;
    const hasRoom = this.addText({
      ...source,
      language,
      text: options.text ?? scalar.text,
      firstLine: this.lineOf(scalar.start) + (keepsLines && !scalar.text.startsWith("\n") ? 1 : 0),
      keepsLines,
      medium: DOCUMENTED.has(source.medium) ? source.medium : "config",
      stance: source.stance === "live" ? (options.stance ?? "live") : source.stance,
    });
    if (hasRoom) this.#handedOn.add(scalar.start);
  }

  isHandedOn({ start }: DataScalar): boolean {
    return this.#handedOn.has(start);
  }
}

const DOCUMENTED: ReadonlySet<string> = wordSet("fence inline-code frontmatter quote");
