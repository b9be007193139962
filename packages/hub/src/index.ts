export type { Allowance } from "./apply/allow-plugin.ts";
export { withoutEdits } from "./apply/apply-plan.ts";
export type { Leftover, Uninstall } from "./apply/clean-home.ts";
export { type ApplyOptions, neededAnswer, refusedResult, resultOf } from "./apply/hub-result.ts";
export { adoptedTargets } from "./apply/remove-skills.ts";
export { DEFAULT_HUB_LIMITS, type HubLimits, type HubScope } from "./hub-limits.ts";
export type { HubOptions, HubStep } from "./hub-options.ts";
export type { Scan } from "./inspect/inspect-item.ts";
export { type FindInstalled, type InstalledSource, installedSources } from "./inspect/installed-sources.ts";
export {
  followSkillsLock,
  formatSkillsLock,
  skillsHash,
} from "./interop/format-skills-lock.ts";
export {
  type ImportedSkill,
  importSkillsLock,
} from "./interop/import-skills-lock.ts";
export type {
  Drift,
  Lock,
  LockEntry,
  LockedTarget,
} from "./lock/lock-entry.ts";
export { linkedFolders, readLock } from "./lock/read-lock.ts";
export { type Hub, openHub, openHubWith, type Verification } from "./open-hub.ts";
export { isEdit } from "./place/find-drift.ts";
export { type FileDifference, lineDiff } from "./place/three-way.ts";
export { installedSigners } from "./plan/check-signatures.ts";
export { firstAbilities } from "./plan/gained-powers.ts";
export type { HistoryEntry } from "./plan/history.ts";
export { installAgain, lockedName, scopedCommand } from "./plan/hub-parts.ts";
export { keepOutdated, knownOutdated } from "./plan/known-outdated.ts";
export { lookInto, type Offer, planPart } from "./plan/look-into.ts";
export type { InstallRequest } from "./plan/plan-install.ts";
export { mergePlanned, missingPlugins } from "./plan/plan-plugins.ts";
export type { RestoreRequest, RollbackRequest } from "./plan/plan-restore.ts";
export type { ToolPlan, ToolResult, ToolStep } from "./plan/plan-tools.ts";
export {
  isInPlace,
  type Standing,
  type UpdateRequest,
  withoutExisting,
  withoutRefused,
} from "./plan/plan-update.ts";
export { describeStep } from "./plan/run-tool-plan.ts";
export type * from "./plan-item.ts";
export { pushOci } from "./publish/push-oci.ts";
export { findSkillsBelow, readSkillToPublish, type SkillToPublish } from "./publish/skill-to-publish.ts";
export { writeSite } from "./publish/write-site.ts";
export {
  type AuditHead,
  findHead,
  type HeadVerification,
  signHead,
  verifyHead,
} from "./signature/audit-head.ts";
export type { SignatureRule } from "./signature/check-signature-policy.ts";
export { type Envelope, formatEnvelope, parseEnvelope } from "./signature/envelope.ts";
export {
  createKey,
  formatPrivateKey,
  formatPublicKey,
  readKey,
  readSigningKey,
  type SigningKey,
  type VerifyingKey,
} from "./signature/key.ts";
export type { FetchContext } from "./sources/fetch-context.ts";
export { parseSource } from "./sources/parse-source.ts";
export { type Resolved, type Source, showSource } from "./sources/source.ts";
export {
  AGENT_SWITCHES,
  type AgentSwitch,
  type EditedText,
  type HookItems,
  isHookCommand,
} from "./switch/agent-switches.ts";
export {
  type ConfigRecord,
  type EditRecord,
  readSwitchRecords,
  type SwitchAction,
  type SwitchRecord,
  type SwitchStep,
  settingsStep,
  type TargetRecord,
} from "./switch/apply-switch.ts";
export { type Splice, Uncertain } from "./switch/edit-json.ts";
export {
  type Planning,
  type Problem,
  planEdit,
  planMove,
  planSetting,
  type StillLoading,
  type SwitchParts,
  type SwitchRequest,
} from "./switch/plan-change.ts";
export { agentOf, foldersFor } from "./target/targets.ts";
