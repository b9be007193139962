export { createSelector } from "./create-selector.ts";
export type { TriggerExample } from "./learned/example-tables.ts";
export type { ModelPrompt } from "./learned/generate-samples.ts";
export type { Learned, LearnedSkill } from "./learned/learned.ts";
export type { SelectableSkill } from "./selectable-skill.ts";
export type {
  AskedModel,
  RecentUse,
  SelectContext,
  SelectedSkill,
  SelectionDecision,
  SelectOptions,
  Selector,
  SelectorOptions,
} from "./selector.ts";
