export type { Diagnostic, Range, Severity } from "@skillet/kit/diagnostics";
export type { Digest } from "@skillet/kit/digest";
export { SkilletError } from "@skillet/kit/errors";
export type { Learned, LearnedSkill, RecentUse, TriggerExample } from "@skillet/select";
export type { Mention } from "@skillet/select/parts";
export type {
  Answer,
  ApprovalOptions,
  Ask,
  CalledBy,
  CallOptions,
  Question,
  QuestionKind,
  SecretRequest,
} from "./ask.ts";
export {
  type AppendAuditOptions,
  type AuditAction,
  type AuditEntry,
  type AuditLine,
  type AuditRecord,
  type AuditVerification,
  appendAudit,
  readAudit,
  verifyAudit,
} from "./audit/audit-log.ts";
export type {
  AgentEvent,
  DetectedUse,
  UseDetector,
  UseDetectorOptions,
} from "./behaviour/create-use-detector.ts";
export { createUseDetector } from "./behaviour/create-use-detector.ts";
export type { CatalogBudget } from "./catalog/catalog-budget.ts";
export { type CatalogGuidance, type GuidanceOptions, skillGuidance } from "./catalog/catalog-guidance.ts";
export type {
  Catalog,
  CatalogChange,
  CatalogFormat,
  CatalogOptions,
  CatalogReport,
  HiddenSkill,
  ReportedSkill,
} from "./catalog/create-catalog.ts";
export type { RankInputs } from "./catalog/rank-skills.ts";
export type {
  AgentConfig,
  AgentPrices,
  Config,
  DirectoryScope,
  EvalConfig,
  HubConfig,
  JudgeConfig,
  McpConfig,
  McpServerConfig,
  ModelConfig,
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
export type { ConfigLayer, ConfigValues, LayerKind, ValueOrigin } from "./config/config-layer.ts";
export {
  type ConfigFlags,
  type LoadConfigOptions,
  type LoadedConfig,
  loadConfig,
} from "./config/load-config.ts";
export type { SkilletErrorCode } from "./error-code.ts";
export { editFrontmatter, type FrontmatterEdit, type FrontmatterValue } from "./format/edit-frontmatter.ts";
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
export { type ParsedSkill, type ParseSkillOptions, parseSkill } from "./format/parse-skill.ts";
export { type RepairedSkill, repairSkill } from "./format/repair-skill.ts";
export { type ReferenceInput, validateSkill } from "./format/validate-skill.ts";
export { type OpenSkillsOptions, openSkills } from "./open-skills.ts";
export type {
  AllowedPlugin,
  HookEnd,
  HookEvent,
  HookJob,
  HookStarter,
  PluginHook,
} from "./plugin/allowed-plugin.ts";
export type { McpServer, ServerDefinition } from "./plugin/mcp-servers.ts";
export { checkToolCall, type ToolCall, type ToolCheck } from "./policy/check-tool-call.ts";
export type { Decision } from "./policy/decision.ts";
export { type Narrowing, type NarrowingReading, narrowingOf } from "./policy/narrowing.ts";
export type { Availability } from "./registry/availability/create-availability.ts";
export type { IsEnabled } from "./registry/compose/compose-snapshot.ts";
export { type DiscoverOptions, discoverSkills } from "./registry/discover-skills.ts";
export { findSkill, type SkillResolution } from "./registry/find-skill.ts";
export type { ContentBounds, ContentFile, SkillContent } from "./registry/read-skill-content.ts";
export type { TreeFile } from "./registry/read-tree.ts";
export type { Resource, ResourceIndex, ResourceKind, ScriptFacts } from "./registry/resource.ts";
export type { MissingRequirement, Origin, Scope, Skill, SkillState } from "./registry/skill.ts";
export type { RootTrust, SkillRoot } from "./registry/skill-root.ts";
export type { RootReport, Snapshot, SnapshotDiff } from "./registry/snapshot.ts";
export { type SnapshotJson, snapshotFromJson, snapshotToJson } from "./registry/snapshot-json.ts";
export type { WatchCoverage } from "./registry/watch-folders.ts";
export type { SkillsChange, SkillsWatch, WatchOptions } from "./registry/watch-skills.ts";
export type {
  SelectContext,
  SelectedSkill,
  SelectionDecision,
  SelectOptions,
  Selector,
  SelectorOptions,
} from "./selection.ts";
export type { ExecCommand, ExecRequest, ExecResult } from "./session/activate/render-body.ts";
export {
  loadAndRender,
  type ProvidedSkill,
  type ResourceType,
  SkillContextProvider,
} from "./session/facade.ts";
export type { HookFeedback } from "./session/hooks/run-hooks.ts";
export type { ForkOptions, ForkSession } from "./session/open-fork.ts";
export type { ObserveOptions, SkillOutcome } from "./session/outcome/session-outcomes.ts";
export type { ReadRefusalCode, ResourceRead } from "./session/read/read-resource.ts";
export { type JournalStore, type MemoryJournal, memoryJournal } from "./session/records/journal-store.ts";
export type { SessionEvent } from "./session/records/session-events.ts";
export type { SessionRecord } from "./session/records/session-record.ts";
export type { Compaction, CompactOptions } from "./session/render-after-compaction.ts";
export type { OnDrift, ResumedSession, ResumeOptions } from "./session/resume/resume-session.ts";
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
export type { FoundSkill } from "./session/search/session-search.ts";
export type {
  ActivateOptions,
  Activation,
  ActivationSource,
  ConversationCatalogOptions,
  DependencyAnswer,
  Session,
  SessionCatalogOptions,
  SessionOptions,
  Turn,
} from "./session/session.ts";
export type { SkillFiles } from "./session/skill-files.ts";
export type { SkillText, SourceReader, TrustVerification } from "./session/skill-reader.ts";
export type {
  AgentTool,
  AgentToolOptions,
  AgentToolResult,
  FilePart,
  TextPart,
} from "./session/toolbox/agent-tool.ts";
export type { Toolbox, ToolboxOptions } from "./session/toolbox/create-toolbox.ts";
export type { Guarded, GuardOptions } from "./session/toolbox/guard.ts";
export type { Prompt, PromptOptions } from "./session/toolbox/prompt.ts";
export type { OnFork } from "./session/toolbox/skill-tools.ts";
export type { JsonTypeName, ObjectSchema, PlainSchema } from "./session/toolbox/strict-schema.ts";
export type { DeclaredTool, DeclaredToolset } from "./session/tools/declaration/parse-toolset.ts";
export { type FetchSourceOptions, fetchSource } from "./source/fetch-source.ts";
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
export type { ToolRoots } from "./source/tool-roots.ts";
export type { TrustedSkill } from "./trust/trust-store.ts";
export type { KnownScan, SkillUse, UseObstacle, UseQuestion, UseReason, UseStep } from "./use/may-use.ts";
export type { SkillToVet, SkillVetter, VetOptions, Vetting } from "./vetting/skill-vetter.ts";
export { type Homes, type Project, resolveHome } from "./workspace/locate-workspace.ts";
export type { SelectionOptions, SelectorRequest } from "./workspace/open-selection.ts";
export type { Skills } from "./workspace/skills.ts";
