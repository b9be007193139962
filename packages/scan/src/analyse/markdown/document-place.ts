import { type Fact, type FactPlace, MAX_SNIPPET_CHARACTERS, placeIn } from "../../fact/fact.ts";
import type { Language } from "../../file/file-kind.ts";
import { LineIndex, lastAtMost, lineStarts } from "../../text/line-index.ts";
import type { Medium, SourceText, Stance } from "../../text/source-text.ts";

/** The facts and inner texts of one document; lines are looked up, not counted each time. */
export class DocumentWriter {
  readonly source: SourceText;
  readonly facts: Fact[] = [];
  readonly texts: SourceText[] = [];
  readonly #lines: LineIndex;

  constructor(source: SourceText) {
    this.source = source;
    this.#lines = new LineIndex(source);
  }

  /** Where in the document a line of code stands whose indentation was taken off; lines are still one to one. */
  linewise(offset: number, text: string): (at: number) => number {
    const starts = lineStarts(text);
    const first = this.#lines.at(offset);
    return (at) => {
      const line = lastAtMost(starts, at);
      return line === 0 ? offset + at : (this.#lines.startOf(first + line) ?? offset);
    };
  }

  place(offset: number, snippet: string, context: PlaceContext): FactPlace {
    const words = snippet.slice(0, MAX_SNIPPET_CHARACTERS).trim();
    return placeIn(this.source, this.#lines.at(offset), words, this.#within(context));
  }

  addText(offset: number, text: string, language: Language, context: PlaceContext): void {
    const { medium, stance, section } = this.#within(context);
    const firstLine = this.#lines.at(offset);
    const isRepetition = false;
    this.texts.push({ ...this.source, text, language, firstLine, medium, stance, section, isRepetition });
  }

  #within({ medium, stance, section }: PlaceContext): PlaceContext {
    const outer = this.source;
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
