export { describeHookSkill, settledStamp, skillPlaces } from "./hooks/describe-skill.ts";
export { HOOK_AGENTS, type HookAgent } from "./hooks/hook-agents.ts";
export { type HookView, isIndexed, stampFile, viewFiles, writeView } from "./hooks/hook-view.ts";
export { keepRuns } from "./hooks/keep-runs.ts";
export type { Making, ViewRequest } from "./hooks/run-hook.ts";
