/** What is measured of a skill against a message. */
export interface SignalRow {
  /** BM25F over all fields. */
  readonly relevance: number;
  /** The share of the message that the skill has anywhere, rare words counting more. */
  readonly coverage: number;
  /** BM25 over the character 4-grams of the header, which forgives spelling. */
  readonly characters: number;
  /** BM25 over pairs of words of the header. */
  readonly bigrams: number;
  /** The cosine with the nearest sentence of the header, and the share of the message that one sentence has. */
  readonly sentence: number;
  readonly sentenceCoverage: number;
  /** 1 where the message has the whole name, in order. */
  readonly nameExact: number;
  /** How much of a quoted or declared phrase stands in the message in order. */
  readonly phrase: number;
  /** The cosine with the nearest clause about what the skill is not for. */
  readonly negative: number;
  /** The share of the message that one such clause has. */
  readonly negativeCoverage: number;
  /** How telling the rarest command or extension is that both name; between 0 and 1. */
  readonly command: number;
  readonly extension: number;
  /** What decisions go by besides: how many terms the header and the message have, and `characters` by what the message says. */
  readonly headerLength: number;
  readonly messageLength: number;
  readonly characterShare: number;
}
