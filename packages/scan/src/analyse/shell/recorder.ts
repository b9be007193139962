import type { Act } from "../../fact/act.ts";
import type { DataSource } from "../../fact/data-source.ts";
import { type Fact, type FactPlace, MAX_SNIPPET_CHARACTERS } from "../../fact/fact.ts";
import type { Sink } from "../../fact/sink.ts";
import type { Language } from "../../file/file-kind.ts";
import type { Derivation, SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";

/** Where something stands: a line of the file, the words, and how they were decoded. */
export interface Spot {
  readonly line: number;
  readonly snippet: string;
  readonly chain: readonly Derivation[];
}

/** A script can say the same thing a million times; nobody reads further. */
const MAX_FACTS = 20_000;
const MAX_TEXTS = 500;
/** Each of them is read again, by another analyser. */
const MAX_TEXTS_CHARACTERS = 8 * 1024 * 1024;

/** Collects the facts and the inner texts of one text, each once. */
export class Recorder {
  readonly #source: SourceText;
  readonly #facts: Fact[] = [];
  readonly #texts: SourceText[] = [];
  /** By place and kind the first of its kind there, or, where there are more, all of them written out. */
  readonly #seen = new Map<string, First | Set<string>>();
  #textsCharacters = 0;
  #unread: string | undefined;

  constructor(source: SourceText) {
    this.#source = source;
  }

  act(act: Act, spot: Spot): void {
    if (this.#facts.length >= MAX_FACTS) return;
    if (this.#isNew(spot.line, act.type, act)) this.#facts.push({ ...this.#place(spot), kind: "act", act });
  }

  flow(sources: readonly DataSource[], sink: Sink, steps: readonly string[], spot: Spot): void {
    if (this.#facts.length >= MAX_FACTS) return;
    if (this.#isNew(spot.line, "flow", [sources.map(briefly), sink]))
      this.#facts.push({ ...this.#place(spot), kind: "flow", sources, sink, steps });
  }

  /** A text in another language inside this one: `python -c "…"`. */
  text(language: Language, text: string, spot: Spot): void {
    if (text.trim() === "") return;
    if (this.#isFull(text) || !this.#isNew(spot.line, "text", [language, text])) return;
    this.#texts.push({
      ...this.#source,
      text,
      language,
      firstLine: spot.line,
      keepsLines: false,
      chain: spot.chain,
    });
    this.#textsCharacters += text.length;
  }

  /** A part that keeps its lines: a here-document, the recipes of a Makefile. */
  part(part: SourceText): void {
    if (this.#isFull(part.text)) return;
    this.#texts.push(part);
    this.#textsCharacters += part.text.length;
  }

  unread(reason: string): void {
    this.#unread ??= reason;
  }

  get analysis(): Analysis {
    const { length } = this.#facts;
    const facts = this.#facts.sort((left, right) => left.line - right.line);
    const unread = length >= MAX_FACTS ? `it does more than ${MAX_FACTS} things` : this.#unread;
    return { facts, texts: this.#texts, ...(unread === undefined ? {} : { unread }) };
  }

  #isFull(text: string): boolean {
    const isFull =
      this.#texts.length >= MAX_TEXTS || this.#textsCharacters + text.length > MAX_TEXTS_CHARACTERS;
    if (isFull) this.unread("it holds more scripts in scripts than can be read");
    return isFull;
  }

  #isNew(line: number, kind: string, content: unknown): boolean {
    const key = `${line} ${kind}`;
    let seen = this.#seen.get(key);
    if (seen === undefined) {
      this.#seen.set(key, { content });
      return true;
    }
    // Most are the only ones of their kind in a line, and need not be written out.
    if (!(seen instanceof Set)) {
      seen = new Set([JSON.stringify(seen.content)]);
      this.#seen.set(key, seen);
    }
    const { size } = seen;
    return seen.add(JSON.stringify(content)).size > size;
  }

  #place({ line, snippet, chain }: Spot): FactPlace {
    const { file, medium, stance, section, isFixture } = this.#source;
    return {
      file,
      line,
      snippet: snippet.slice(0, MAX_SNIPPET_CHARACTERS),
      chain,
      medium,
      stance,
      section,
      isFixture,
    };
  }
}

interface First {
  readonly content: unknown;
}

// A decoded text may be long, and tells nothing new.
function briefly(source: DataSource): unknown {
  return source.type === "decoded" ? source.encoding : source;
}
