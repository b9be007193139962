// For Skillet's own packages: these names may change in any release.

export type { Located, LocatedEntry } from "@skillet/kit/located";
export {
  isFunctionWord,
  LEARNED_DIGEST_DIGITS,
  readSamples,
  samplePrompt,
  splitClauses,
  tellingOf,
} from "@skillet/select/parts";
export { isKnownProgram } from "@skillet/shell";
export { type AgentPluginFolder, readAgentPlugins } from "./agents/agent-plugins.ts";
export {
  AGENT_SWITCHES,
  type AgentSwitch,
  blankJsonComments,
  type SwitchSubject,
} from "./agents/agent-switches.ts";
export { AGENTS, type Agent, type AgentPlaces, agentHome, detectAgents } from "./agents/agents.ts";
export {
  type AgentsLoading,
  type AgentsReadingOptions,
  createAgentsHolding,
  createAgentsLoading,
  loaderRefusal,
} from "./agents/agents-reading.ts";
export { unlessAborted } from "./ask.ts";
export { auditActor, auditPath } from "./audit/audit-log.ts";
export { createUseDetector } from "./behaviour/create-use-detector.ts";
export { readAgentCommand } from "./behaviour/read-agent-command.ts";
export { countTokens, tokenCost } from "./catalog/catalog-budget.ts";
export { createCatalog } from "./catalog/create-catalog.ts";
export { configPath, DEFAULT_TRUSTED_SOURCES, projectConfigPath } from "./config/config.ts";
export type { ConfigProblem } from "./config/config-problem.ts";
export { checkServerLabel } from "./config/config-schema.ts";
export { createEnablement } from "./config/create-enablement.ts";
export {
  type ConfigChange,
  type ConfigTarget,
  parseConfigValue,
  setConfigValue,
  unsetConfigValue,
} from "./config/edit-config.ts";
export { type ConfigEntry, listConfigValues } from "./config/list-config-values.ts";
export { organisationDirectory } from "./config/load-config.ts";
export { pluginName } from "./config/merge-layer.ts";
export { parseScriptReference, type ScriptReference } from "./config/script-reference.ts";
export { type SetSkillEnabledOptions, setSkillEnabled } from "./config/set-skill-enabled.ts";
export { parseToolRule } from "./config/tool-rule/parse-tool-rule.ts";
export { canonicalTool, toolKind } from "./config/tool-rule/tool-rule.ts";
export { applyCodexInterface } from "./format/apply-codex-interface.ts";
export { FIELD_NAMES, fieldSpellings } from "./format/dialects.ts";
export { tryEditFrontmatter } from "./format/edit-frontmatter.ts";
export { MAX_SKILL_BYTES } from "./format/format-limits.ts";
export { parseKeyPath } from "./format/key-path.ts";
export { locateYaml } from "./format/locate-yaml.ts";
export { type ParsedSkillBytes, parseSkillBytes } from "./format/parse-skill.ts";
export { readFrontmatter } from "./format/read-frontmatter.ts";
export {
  formatLearned,
  type LearnedReading,
  readLearned,
  writeLearned,
} from "./learned/learned-file.ts";
export { type ParsedLearned, parseLearned } from "./learned/parse-learned.ts";
export { readAgentPluginServers } from "./plugin/agent-plugin-servers.ts";
export { readHooks } from "./plugin/allowed-plugin.ts";
export { readServers } from "./plugin/mcp-servers.ts";
export { narrowingTo } from "./policy/narrowing.ts";
export { readShell } from "./policy/shell/read-shell.ts";
export { type AgentPlugin, readAgentPlugin } from "./registry/agent-plugin.ts";
export { isRootManifest, readPluginName, readPlugins } from "./registry/compose/read-plugins.ts";
export { readCommandContent, readSkillContent } from "./registry/read-skill-content.ts";
export { needsTrust, SCOPE_ORIGINS } from "./registry/skill.ts";
export { suggestNames } from "./registry/suggest-names.ts";
export { insideOf } from "./session/create-session.ts";
export {
  type ReadRunOutcomesOptions,
  type RunOutcomes,
  readRunOutcomes,
} from "./session/outcome/read-run-outcomes.ts";
export type { TurnOutcome } from "./session/outcome/turn-reader.ts";
export { openRecorder } from "./session/records/recorder.ts";
export type { SessionRecord } from "./session/records/session-record.ts";
export { type RunSummary, summariseRun, type TimelineEvent } from "./session/records/summarise-run.ts";
export { usableSkills } from "./session/skill-view.ts";
export { decideScript } from "./session/tool-rules.ts";
export { readToolsets, type ToolsetFiles } from "./session/tools/declaration/read-toolsets.ts";
export { listSkillFiles } from "./source/local/list-skill-files.ts";
export { stampTree } from "./source/local/stamp-tree.ts";
export { readAgentMade, recordAgentMade } from "./trust/agent-made.ts";
export {
  type Approval,
  type ApprovalStore,
  approvalPath,
  approveSkill,
  readApprovals,
  withdrawApproval,
} from "./trust/approval-store.ts";
export { type AllowedScript, changeAllowedScripts, readAllowedScripts } from "./trust/script-store.ts";
export {
  type FolderTrust,
  folderIdentity,
  listTrusted,
  readTrust,
  type TrustedFolder,
  type TrustFolderOptions,
  type TrustStore,
  trustFolder,
  trustOf,
  trustPath,
  trustSkills,
  untrustFolder,
  untrustSkills,
} from "./trust/trust-store.ts";
export { findObstacle, mayUse, stateOf, type UseRules } from "./use/may-use.ts";
export {
  formatVerdictFile,
  type KnownFinding,
  type KnownPlace,
  type KnownVerdict,
  MAX_VERDICT_FILE_BYTES,
  readVerdictFile,
  type VerdictFile,
  verdictPath,
} from "./vetting/verdict-file.ts";
export { findProjectRoot, type ProjectFolders, untrustedAround } from "./workspace/locate-workspace.ts";
export { createSelector, readExamples } from "./workspace/open-selection.ts";
export { projectSkills } from "./workspace/trusted-skills.ts";
