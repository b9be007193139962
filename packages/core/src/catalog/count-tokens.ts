import { SkilletError } from "@skillet/kit/errors";
import { estimateTokens } from "./estimate-tokens.ts";

/** Tells how many tokens a text costs a model. */
export type CountTokens = (text: string) => number;

/** About how many tokens a text costs a model: its UTF-8 bytes over four, so that Chinese is not taken for cheap. */
export function countTokens(text: string): number {
  return estimateTokens(Buffer.byteLength(text));
}

/** A host's count that is an amount; anything else would make a catalogue empty, or endless, without a word. */
export function checkedCount(count: CountTokens): CountTokens {
  return (text) => {
    const tokens = count(text);
    if (tokens >= 0) return tokens;
    throw new SkilletError(
      "invalid-token-count",
      `countTokens gave ${tokens} for a text of ${text.length} characters; make it give 0 or more.`,
      { data: { tokens } },
    );
  };
}
