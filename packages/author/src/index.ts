export {
  type Collision,
  type CollisionDirection,
  type CollisionReport,
  findCollisions,
  type PhraseSource,
} from "./collisions/find-collisions.ts";
export { frontmatterSchema } from "./frontmatter-schema.ts";
export { type ExpectedEffect, expectEffect } from "./learn/expect-effect.ts";
export { type LearnedChange, type Lesson, learnFromRuns } from "./learn/learn-from-runs.ts";
export { type ReadRuns, readRuns } from "./learn/read-runs.ts";
export {
  LINT_RULES,
  type LintedFile,
  type LintResult,
  lintSkill,
} from "./lint/lint-skill.ts";
export {
  type ChatModel,
  createChatModel,
} from "./model/chat-model.ts";
export {
  evaluateWithModel,
  type ModelEvaluation,
  type ModelResult,
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
export { evaluateTriggers } from "./triggers/evaluate-triggers.ts";
export {
  findTriggerSets,
  readTriggerSet,
} from "./triggers/read-trigger-set.ts";
export type {
  SelectorResult,
  TriggerEvaluation,
  TriggerMetrics,
  TriggerResult,
} from "./triggers/trigger-result.ts";
export { MAX_SET_BYTES, type TriggerQuery, type TriggerSet } from "./triggers/trigger-set.ts";
