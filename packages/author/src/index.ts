export {
  type Collision,
  type CollisionDirection,
  type CollisionReport,
  type ContestedPhrase,
  type FindCollisionsOptions,
  findCollisions,
  type PhraseSource,
} from "./collisions/find-collisions.ts";
export { frontmatterSchema } from "./frontmatter-schema.ts";
export { type LearnedChange, type Lesson, learnFromRuns } from "./learn/learn-from-runs.ts";
export { type ReadRuns, readRuns } from "./learn/read-runs.ts";
export type { LintedFile, LintFix } from "./lint/lint-rule.ts";
export { LINT_RULES, type LintInput, type LintResult, lintSkill } from "./lint/lint-skill.ts";
export {
  type ChatModel,
  type ChatModelOptions,
  createChatModel,
  type ModelFailure,
} from "./model/chat-model.ts";
export {
  type EvaluateWithModelOptions,
  evaluateWithModel,
  type ModelEvaluation,
  type ModelResult,
  type UsageSum,
} from "./model/evaluate-with-model.ts";
export type { ReadInstructions } from "./model/skill-desk.ts";
export { triggerDocument } from "./model/trigger-document.ts";
export { type SkillTemplate, skillFromTemplate, type TemplateFile } from "./skill-template.ts";
export type { SkillEdit } from "./skillify/improve-skill.ts";
export { type RedactOptions, redactText } from "./skillify/minimise-job.ts";
export {
  type Skillified,
  type SkillifyAnswers,
  type SkillifyOptions,
  skillify,
} from "./skillify/skillify.ts";
export { type FindSessionsOptions, type FoundSession, findSessions } from "./transcript/find-sessions.ts";
export { type ReadTranscriptOptions, readTranscript } from "./transcript/read-transcript.ts";
export type { CallOutcome, Transcript, TranscriptEvent } from "./transcript/transcript.ts";
export { type EvaluateTriggersOptions, evaluateTriggers } from "./triggers/evaluate-triggers.ts";
export {
  type FoundTriggerSets,
  findTriggerSets,
  MAX_SET_BYTES,
  readTriggerSet,
  type TriggerQuery,
  type TriggerSet,
} from "./triggers/read-trigger-set.ts";
export type {
  ChosenSkill,
  SelectorResult,
  TriggerEvaluation,
  TriggerMetrics,
  TriggerResult,
  TriggerSummary,
} from "./triggers/trigger-result.ts";
