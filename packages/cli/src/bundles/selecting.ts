// The parts of the selector that commands use; built as a separate file.
export {
  createChatModel,
  evaluateTriggers,
  evaluateWithModel,
  findCollisions,
  findTriggerSets,
  frontmatterSchema,
  LINT_RULES,
  learnFromRuns,
  lintSkill,
  MAX_SET_BYTES,
  readRuns,
  readTriggerSet,
  skillFromTemplate,
  triggerDocument,
} from "@skillet/author";
export { createUseDetector } from "@skillet/core";
export {
  createSelector,
  formatLearned,
  isFunctionWord,
  LEARNED_DIGEST_DIGITS,
  readLearned,
  readSamples,
  samplePrompt,
  splitClauses,
  tellingOf,
  writeLearned,
} from "@skillet/core/internal";
