export { parseSkill } from "../../../packages/core/src/format/parse-skill.ts";
export type { Skill } from "../../../packages/core/src/registry/skill.ts";
export type { Snapshot } from "../../../packages/core/src/registry/snapshot.ts";
export { createSelector } from "../../../packages/core/src/select/create-selector.ts";
export { IndexBuilder } from "../../../packages/core/src/select/index/index-builder.ts";
export {
  createIndex,
  findTerm,
  type SkillIndex,
} from "../../../packages/core/src/select/index/skill-index.ts";
export {
  type ExampleEvidence,
  ExampleTable,
} from "../../../packages/core/src/select/learned/example-tables.ts";
export {
  decisionRow,
  judgeProbability,
  relatedRow,
} from "../../../packages/core/src/select/rank/judge-probability.ts";
export { type Measured, measureSignals } from "../../../packages/core/src/select/rank/measure-signals.ts";
export {
  type Fused,
  fuseSignals,
  mostOf,
  relativeSignals,
} from "../../../packages/core/src/select/rank/score-signals.ts";
export {
  DECIDED,
  DECISION_WEIGHTS,
  type DecisionWeights,
  RANK_WEIGHTS,
  RANKED,
  type RankWeights,
  RELATED,
  RELATED_WEIGHTS,
  type RelatedWeights,
  THRESHOLDS,
} from "../../../packages/core/src/select/rank/weights.ts";
export { describeSkill } from "../../../packages/core/src/select/text/describe-skill.ts";
export { readMessage } from "../../../packages/core/src/select/text/message.ts";
