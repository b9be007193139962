// The parts that work without an index: callers load them up front, `createSelector` on the first selection.
export { readSamples, samplePrompt } from "./learned/generate-samples.ts";
export {
  cleanExample,
  LEARNED_DIGEST_DIGITS,
  LEARNED_LIMITS,
  NOTHING_LEARNED,
  THRESHOLD_BOUNDS,
} from "./learned/learned.ts";
export { checkSelectContext, clampLimit } from "./selector.ts";
export {
  findMentions,
  MAX_MENTION_CHARACTERS,
  MAX_MENTIONS,
  type Mention,
  type MentionSearch,
  searchMentions,
} from "./text/find-mentions.ts";
export { loadRe2 } from "./text/load-re2.ts";
export { splitClauses } from "./text/split-clauses.ts";
export { isFunctionWord, SAID_BESIDES, tellingOf } from "./text/usual-shares.ts";
