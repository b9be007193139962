export { parseSkill } from "../../../packages/core/src/format/parse-skill.ts";
export type { Skill } from "../../../packages/core/src/registry/skill.ts";
export {
  applyChoice,
  choicePrompt,
  isUnsure,
  MAX_ASKED,
  readChoice,
} from "../../../packages/select/src/consult-model.ts";
export { createSelector } from "../../../packages/select/src/create-selector.ts";
export { IndexBuilder } from "../../../packages/select/src/index/index-builder.ts";
export { createIndex, type SkillIndex } from "../../../packages/select/src/index/skill-index.ts";
export {
  type ModelPrompt,
  readSamples,
  samplePrompt,
} from "../../../packages/select/src/learned/generate-samples.ts";
export type { Candidate } from "../../../packages/select/src/rank/gather-candidates.ts";
export {
  evidenceShare,
  judgedRow,
  judgeProbability,
} from "../../../packages/select/src/rank/judge-probability.ts";
export {
  type Fused,
  fuseSignals,
  type Most,
  measureSignals,
  mostOf,
  shareOf,
} from "../../../packages/select/src/rank/measure-signals.ts";
export {
  DECISION_WEIGHTS,
  type DecisionWeights,
  RANK_WEIGHTS,
  type RankWeights,
  RELATED_WEIGHTS,
  type RelatedWeights,
  THRESHOLDS,
} from "../../../packages/select/src/rank/weights.ts";
export type { SelectionDecision, Selector } from "../../../packages/select/src/selector.ts";
export { describeSkill } from "../../../packages/select/src/text/describe-skill.ts";
export { readMessage } from "../../../packages/select/src/text/message.ts";
