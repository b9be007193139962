import { type FactPlace, MAX_SNIPPET_CHARACTERS } from "../../fact/fact.ts";
import type { Language } from "../../file/file-kind.ts";
import type { Medium, SourceText, Stance } from "../../text/source-text.ts";
import { lastAtMost } from "./text-map.ts";

/** Turns offsets of one document into places and texts; lines are looked up, not counted each time. */
export class DocumentPlaces {
  readonly #source: SourceText;
  readonly #lineStarts: readonly number[];

  constructor(source: SourceText) {
    this.#source = source;
    this.#lineStarts = source.keepsLines ? lineStarts(source.text) : [0];
  }

  line(offset: number): number {
    return this.#source.firstLine + lastAtMost(this.#lineStarts, offset);
  }

  /** Where in the document a line of code stands whose indentation was taken off; lines are still one to one. */
  linewise(offset: number, text: string): (at: number) => number {
    const starts = lineStarts(text);
    const first = this.#lineStarts.length === 1 ? 0 : lastAtMost(this.#lineStarts, offset);
    return (at) => {
      const line = lastAtMost(starts, at);
      return line === 0 ? offset + at : (this.#lineStarts[first + line] ?? offset);
    };
  }

  place(offset: number, snippet: string, context: PlaceContext): FactPlace {
    const { file, chain, isFixture } = this.#source;
    return {
      file,
      line: this.line(offset),
      snippet: snippet.slice(0, MAX_SNIPPET_CHARACTERS).trim(),
      chain,
      medium: this.#medium(context.medium),
      stance: this.#stance(context.stance),
      section: this.#section(context.section),
      isFixture,
    };
  }

  /** A text inside this one, with lines of its own if it keeps them. */
  text(offset: number, text: string, language: Language, context: PlaceContext): SourceText {
    return {
      file: this.#source.file,
      text,
      language,
      firstLine: this.line(offset),
      keepsLines: this.#source.keepsLines,
      chain: this.#source.chain,
      medium: this.#medium(context.medium),
      stance: this.#stance(context.stance),
      section: this.#section(context.section),
      isFixture: this.#source.isFixture,
      ...(this.#source.isInDefensiveSkill && { isInDefensiveSkill: true }),
    };
  }

  /** A list in a fence, or in something decoded, is in the first place that. */
  #medium(medium: Medium): Medium {
    const outer = this.#source.medium;
    return PLAIN_MEDIA.has(medium) && !PLAIN_MEDIA.has(outer) ? outer : medium;
  }

  #section(section: readonly string[]): readonly string[] {
    const outer = this.#source.section;
    return outer.length === 0 ? section : [...outer, ...section];
  }

  /** Nothing inside a specimen is more alive than the specimen. */
  #stance(stance: Stance): Stance {
    return this.#source.stance === "live" ? stance : this.#source.stance;
  }
}

export interface PlaceContext {
  readonly medium: Medium;
  readonly stance: Stance;
  readonly section: readonly string[];
}

const PLAIN_MEDIA: ReadonlySet<Medium> = new Set(["prose", "list", "table", "quote", "heading", "markup"]);

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
