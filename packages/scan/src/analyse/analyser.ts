import type { Fact } from "../fact/fact.ts";
import type { SourceText } from "../text/source-text.ts";

/** Reads one text of its languages; never throws on what it holds. */
export type Analyser = (source: SourceText, siblings?: Siblings) => Analysis;

export interface Analysis {
  readonly facts: readonly Fact[];
  /** Texts inside that are analysed next: fences, here-documents, `sh -c "…"`, decoded literals, manifest scripts. */
  readonly texts: readonly SourceText[];
  /** Why something was not understood, if so: the file then counts as read partly. */
  readonly unread?: string;
}

/** A text in which nothing was found. */
export const NOTHING: Analysis = { facts: [], texts: [] };

/** Characters of a text. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Siblings {
  source(path: string): SourceText | undefined;
  /** The path of the only file with this name, wherever it lies. */
  named(name: string): string | undefined;
}
