export type { Diagnostic, Range, Severity } from "@skillet/kit/diagnostics";
export type { Digest } from "@skillet/kit/digest";
export { SkilletError } from "@skillet/kit/errors";
export type { Located, LocatedEntry } from "@skillet/kit/located";
export type { Answer, Ask, Question, QuestionKind, SecretRequest } from "./ask.ts";
export {
  type AppendAuditOptions,
  type AuditAction,
  type AuditEntry,
  type AuditLine,
  type AuditRecord,
  type AuditVerification,
  appendAudit,
  auditActor,
  auditPath,
  readAudit,
  verifyAudit,
} from "./audit/audit-log.ts";
export { createUseDetector } from "./behaviour/create-use-detector.ts";
export type {
  AgentEvent,
  DetectedUse,
  UseDetector,
  UseDetectorOptions,
} from "./behaviour/use-detector.ts";
export { type CatalogBudget, estimateTokens, tokenCost } from "./catalog/catalog-budget.ts";
export { renderCatalogXml } from "./catalog/catalog-forms.ts";
export {
  type Catalog,
  type CatalogChange,
  type CatalogFormat,
  type CatalogOptions,
  type CatalogReport,
  catalogDiff,
  createCatalog,
  type ReportedSkill,
} from "./catalog/create-catalog.ts";
export { lexicalRelevance } from "./catalog/lexical-relevance.ts";
export type { RankInputs, RecentUse } from "./catalog/rank-skills.ts";
export {
  type HiddenSkill,
  type VisibilityFilter,
  visibleSkills,
} from "./catalog/visible-skills.ts";
export type {
  Config,
  DirectoryScope,
  EvalConfig,
  EvalModelConfig,
  HubConfig,
  JudgeConfig,
  PluginDefinition,
  PolicyAction,
  PolicyConfig,
  PolicyMode,
  PolicyRule,
  Profile,
  RankedScope,
  ScanConfig,
  SignatureRule,
  SkillDirectory,
  SkillOverride,
  SkillsConfig,
} from "./config/config.ts";
export { configPath, DEFAULT_TRUSTED_SOURCES, projectConfigPath } from "./config/config.ts";
export type { ConfigLayer, ConfigValues, LayerKind, ValueOrigin } from "./config/config-layer.ts";
export type { ConfigProblem } from "./config/config-problem.ts";
export { createEnablement, type Enablement, type SkillIdentity } from "./config/create-enablement.ts";
export type { ConfigChange, ConfigTarget } from "./config/edit-config.ts";
export { parseConfigValue, setConfigValue, unsetConfigValue } from "./config/edit-config.ts";
export { parseKeyPath } from "./config/key-path.ts";
export { type ConfigEntry, listConfigValues } from "./config/list-config-values.ts";
export {
  type ConfigFlags,
  type LoadConfigOptions,
  type LoadedConfig,
  loadConfig,
} from "./config/load-config.ts";
export { locateYaml } from "./config/locate-yaml.ts";
export { parseScriptReference, type ScriptReference } from "./config/script-reference.ts";
export { type SetSkillEnabledOptions, setSkillEnabled } from "./config/set-skill-enabled.ts";
export { applyCodexInterface } from "./format/apply-codex-interface.ts";
export { editFrontmatter, type FrontmatterEdit, type FrontmatterValue } from "./format/edit-frontmatter.ts";
export { MAX_SKILL_BYTES } from "./format/format-limits.ts";
export type {
  EnvironmentRequirement,
  Execution,
  Gating,
  InstallSpec,
  Invocation,
  Manifest,
  McpRequirement,
  Triggers,
  Ui,
} from "./format/manifest.ts";
export {
  type ParsedSkill,
  type ParsedSkillBytes,
  type ParseSkillOptions,
  parseSkill,
  parseSkillBytes,
} from "./format/parse-skill.ts";
export { type RepairedSkill, repairSkill } from "./format/repair-skill.ts";
export { type ReferenceInput, validateLikeReference } from "./format/validate-like-reference.ts";
export { findMentions, type Mention } from "./mention/find-mentions.ts";
export { type OpenSkillsOptions, openSkills } from "./open-skills.ts";
export { checkToolCall, type ToolCall, type ToolCheck } from "./policy/check-tool-call.ts";
export type { Decision } from "./policy/decision.ts";
export { type Narrowing, type NarrowingReading, narrowingOf } from "./policy/narrowing.ts";
export {
  type Availability,
  type AvailabilityContext,
  createAvailability,
} from "./registry/availability/create-availability.ts";
export { readPluginName } from "./registry/compose/read-plugin-name.ts";
export type { IsEnabled } from "./registry/compose/withhold.ts";
export { type DiscoverOptions, discoverSkills } from "./registry/discover-skills.ts";
export { findSkill, type SkillResolution } from "./registry/find-skill.ts";
export {
  type ContentBounds,
  type ContentFile,
  readCommandContent,
  readSkillContent,
  type SkillContent,
} from "./registry/read-skill-content.ts";
export type { Resource, ResourceIndex, ResourceKind, ScriptFacts } from "./registry/resource.ts";
export type { MissingRequirement, Origin, Scope, Skill, SkillState } from "./registry/skill.ts";
export type { RootTrust, SkillRoot } from "./registry/skill-root.ts";
export type { RootReport, Snapshot } from "./registry/snapshot.ts";
export type { SnapshotDiff } from "./registry/snapshot-diff.ts";
export { type SnapshotJson, snapshotFromJson, snapshotToJson } from "./registry/snapshot-json.ts";
export { suggestNames } from "./registry/suggest-names.ts";
export type { TreeFile } from "./registry/tree-file.ts";
export type { WatchCoverage } from "./registry/watch-folders.ts";
export type { SkillsChange, SkillsWatch, WatchOptions } from "./registry/watch-skills.ts";
export { splitClauses } from "./select/document/split-clauses.ts";
export type { TriggerExample } from "./select/learned/example-tables.ts";
export {
  cleanExample,
  LEARNED_DIGEST_DIGITS,
  LEARNED_LIMITS,
  type Learned,
  type LearnedSkill,
  NOTHING_LEARNED,
  THRESHOLD_BOUNDS,
} from "./select/learned/learned.ts";
export { type ParsedLearned, parseLearned } from "./select/learned/parse-learned.ts";
export { type LearnedReading, learnedPath, readLearned } from "./select/learned/read-learned.ts";
export { formatLearned, writeLearned } from "./select/learned/write-learned.ts";
export type {
  SelectContext,
  SelectedSkill,
  SelectionDecision,
  SelectOptions,
  Selector,
  SelectorOptions,
} from "./select/selector.ts";
export type { ExecCommand, ExecRequest, ExecResult } from "./session/activate/render-body.ts";
export { loadAndRender, type ResourceType, SkillContextProvider } from "./session/facade.ts";
export type { ForkOptions, ForkSession } from "./session/open-fork.ts";
export {
  type ReadRunOutcomesOptions,
  type RunOutcomes,
  readRunOutcomes,
} from "./session/outcome/read-run-outcomes.ts";
export type { SkillOutcome } from "./session/outcome/session-outcomes.ts";
export type { TurnOutcome } from "./session/outcome/turn-reader.ts";
export type { ReadRefusalCode, ResourceRead } from "./session/read/read-resource.ts";
export type { SessionRecord } from "./session/records/session-record.ts";
export { type RunSummary, summariseRun, type TimelineEvent } from "./session/records/summarise-run.ts";
export type { Compaction, CompactOptions } from "./session/render-after-compaction.ts";
export type { OnDrift, ResumedSession, ResumeOptions } from "./session/resume/resume-session.ts";
export { type RunSkillScriptTool, runSkillScriptTool } from "./session/run/run-skill-script-tool.ts";
export type { JsonSchema } from "./session/schema/check-against-schema.ts";
export type {
  ExecutedScript,
  PreparedScript,
  RunOptions,
  SandboxReport,
  ScriptCall,
  ScriptGrants,
  ScriptOutcome,
  ScriptOutputListener,
  ScriptRefusal,
  ScriptRefusalCode,
  ScriptRun,
  ScriptRunner,
  ScriptTarget,
  ScriptToRun,
} from "./session/script-runner.ts";
export type { MentionedSkill, ResolvedMentions } from "./session/search/resolve-mentions.ts";
export {
  type FoundSkill,
  type SearchSkillsTool,
  type SkillSearch,
  searchSkillsTool,
  skillNameSchema,
} from "./session/search/search-skills-tool.ts";
export type {
  ActivateOptions,
  Activation,
  ActivationSource,
  ConversationCatalogOptions,
  DependencyAnswer,
  Session,
  SessionCatalogOptions,
  SessionOptions,
} from "./session/session.ts";
export type { DeclaredTool, DeclaredToolset } from "./session/tools/declaration/declared-toolset.ts";
export { readToolsets, type ToolsetFiles } from "./session/tools/declaration/read-toolsets.ts";
export type {
  SkillTool,
  ToolCallOptions,
  ToolFailureCode,
  ToolRefusalCode,
  ToolResult,
} from "./session/tools/skill-tool.ts";
export { LocalSource, type LocalSourceOptions } from "./source/local/local-source.ts";
export type { TraversalLimits } from "./source/local/traversal-limits.ts";
export { MemorySource } from "./source/memory-source.ts";
export type {
  FileListing,
  SkillFolder,
  SkillListing,
  SkillSource,
  SourceFile,
  SourceRead,
  TreeStamp,
} from "./source/skill-source.ts";
export {
  type Approval,
  type ApprovalStore,
  approvalPath,
  approveSkill,
  readApprovals,
  withdrawApproval,
} from "./trust/approval-store.ts";
export {
  type FolderTrust,
  listTrusted,
  readTrust,
  type TrustedFolder,
  type TrustedSkill,
  type TrustFolderOptions,
  type TrustStore,
  trustFolder,
  trustOf,
  trustPath,
  untrustFolder,
} from "./trust/trust-store.ts";
export type { SkillToVet, SkillVetter, VetOptions, Vetting } from "./vetting/skill-vetter.ts";
export {
  formatVerdictFile,
  type KnownFinding,
  type KnownOpinion,
  type KnownPlace,
  type KnownVerdict,
  MAX_VERDICT_FILE_BYTES,
  readVerdictFile,
  type VerdictFile,
  verdictPath,
} from "./vetting/verdict-file.ts";
export {
  findProjectRoot,
  type Homes,
  type Project,
  type ProjectFolders,
  resolveHome,
} from "./workspace/locate-workspace.ts";
export { createSelector, type SelectionOptions, type SelectorRequest } from "./workspace/open-selection.ts";
export type { SkillText } from "./workspace/registry-reader.ts";
export type { CallOptions, Skills } from "./workspace/skills.ts";
export { projectSkills, type TrustVerification } from "./workspace/trusted-skills.ts";
