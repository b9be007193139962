// What needs no index: it is loaded at once where `createSelector` is loaded when somebody selects.
export {
  cleanExample,
  LEARNED_DIGEST_DIGITS,
  LEARNED_LIMITS,
  NOTHING_LEARNED,
  THRESHOLD_BOUNDS,
} from "./learned/learned.ts";
export { checkSelectContext, clampLimit } from "./selector.ts";
export { COMMAND_MARK, findEvidence, splitBody } from "./text/find-evidence.ts";
export {
  findMentions,
  MAX_MENTION_CHARACTERS,
  MAX_MENTIONS,
  type Mention,
  type MentionSearch,
  searchMentions,
} from "./text/find-mentions.ts";
export { splitClauses } from "./text/split-clauses.ts";
