export { parseSkill } from "../../../packages/core/src/format/parse-skill.ts";
export type { Skill } from "../../../packages/core/src/registry/skill.ts";
export type { Snapshot } from "../../../packages/core/src/registry/snapshot.ts";
export { createSelector } from "../../../packages/core/src/select/create-selector.ts";
export { describeSkill } from "../../../packages/core/src/select/document/describe-skill.ts";
export { SegmentBuilder } from "../../../packages/core/src/select/index/segment-builder.ts";
export { joinSegments, type SkillIndex } from "../../../packages/core/src/select/index/skill-index.ts";
export { ExampleTable } from "../../../packages/core/src/select/learned/example-tables.ts";
export { findEverywhere } from "../../../packages/core/src/select/signal/find-search-term.ts";
export {
  type Fused,
  fuseSignals,
  mostOf,
  RANKED,
  relativeSignals,
} from "../../../packages/core/src/select/signal/fuse-signals.ts";
export {
  DECIDED,
  decisionRow,
  type ExampleEvidence,
  judgeProbability,
  RELATED,
  relatedRow,
} from "../../../packages/core/src/select/signal/judge-probability.ts";
export { type Measured, measureSignals } from "../../../packages/core/src/select/signal/measure-signals.ts";
export { readMessage } from "../../../packages/core/src/select/signal/message.ts";
export {
  DECISION_WEIGHTS,
  type DecisionWeights,
  RANK_WEIGHTS,
  type RankWeights,
  RELATED_WEIGHTS,
  type RelatedWeights,
  THRESHOLDS,
} from "../../../packages/core/src/select/signal/weights.ts";
