import { type FactPlace, MAX_SNIPPET_CHARACTERS, placeIn } from "../../fact/fact.ts";
import type { Language } from "../../file/file-kind.ts";
import { LineIndex, lastAtMost, lineStarts } from "../../text/line-index.ts";
import type { Medium, SourceText, Stance } from "../../text/source-text.ts";

/** Turns offsets of one document into places and texts; lines are looked up, not counted each time. */
export class DocumentPlaces {
  readonly #source: SourceText;
  readonly #lines: LineIndex;

  constructor(source: SourceText) {
    this.#source = source;
    this.#lines = new LineIndex(source);
  }

  line(offset: number): number {
    return this.#lines.at(offset);
  }

  /** Where in the document a line of code stands whose indentation was taken off; lines are still one to one. */
  linewise(offset: number, text: string): (at: number) => number {
    const starts = lineStarts(text);
    const first = this.line(offset);
    return (at) => {
      const line = lastAtMost(starts, at);
      return line === 0 ? offset + at : (this.#lines.startOf(first + line) ?? offset);
    };
  }

  place(offset: number, snippet: string, context: PlaceContext): FactPlace {
    return placeIn(
      this.#source,
      this.line(offset),
      snippet.slice(0, MAX_SNIPPET_CHARACTERS).trim(),
      this.#within(context),
    );
  }

  text(offset: number, text: string, language: Language, context: PlaceContext): SourceText {
    const { medium, stance, section } = this.#within(context);
    const firstLine = this.line(offset);
    return { ...this.#source, text, language, firstLine, medium, stance, section, isRepetition: false };
  }

  #within({ medium, stance, section }: PlaceContext): PlaceContext {
    const outer = this.#source;
    return {
      // A list in a fence, or in something decoded, is in the first place that.
      medium: PLAIN_MEDIA.has(medium) && !PLAIN_MEDIA.has(outer.medium) ? outer.medium : medium,
      // Nothing inside a specimen is more alive than the specimen.
      stance: outer.stance === "live" ? stance : outer.stance,
      section: outer.section.length === 0 ? section : [...outer.section, ...section],
    };
  }
}

export interface PlaceContext {
  readonly medium: Medium;
  readonly stance: Stance;
  readonly section: readonly string[];
}

const PLAIN_MEDIA: ReadonlySet<Medium> = new Set(["prose", "list", "table", "quote", "heading", "markup"]);
