export type { Allowance } from "./apply/allow-plugin.ts";
export type { ApplyOptions } from "./apply/apply-options.ts";
export type { HubOutcome, HubResult } from "./apply/hub-result.ts";
export { type NeededAnswer, neededAnswer } from "./apply/needed-answer.ts";
export { doneOutcome, refusedResult, resultOf } from "./apply/result-of.ts";
export type { Candidate } from "./candidate/candidate.ts";
export { describeStep } from "./dependency/run-tool-plan.ts";
export type { ToolPlan, ToolResult, ToolStep } from "./dependency/tool-plan.ts";
export type { Offer } from "./discover/offer.ts";
export type { PluginParts } from "./discover/plugin-parts.ts";
export type { FetchContext, FetchStep } from "./fetch/fetch-context.ts";
export { type PushedOci, type PushOciOptions, pushOci } from "./fetch/oci/push-oci.ts";
export type { Resolved } from "./fetch/resolved.ts";
export type { Hub, Verification } from "./hub.ts";
export { DEFAULT_HUB_LIMITS, type HubLimits } from "./hub-limits.ts";
export type { HubOptions, HubStep } from "./hub-options.ts";
export type { HubScope } from "./hub-scope.ts";
export type { Scan } from "./inspect/inspect-candidate.ts";
export type { Inspected } from "./inspect/inspected.ts";
export { type FollowedChange, followSkillsLock } from "./interop/follow-skills-lock.ts";
export { formatSkillsLock, type SkillsLockOptions } from "./interop/format-skills-lock.ts";
export {
  type ImportedLock,
  type ImportedSkill,
  type ImportOptions,
  importSkillsLock,
} from "./interop/import-skills-lock.ts";
export { skillsHash } from "./interop/skills-hash.ts";
export { type FindInstalled, type InstalledSource, installedSources } from "./lock/installed-sources.ts";
export { linkedFolders } from "./lock/linked-folders.ts";
export type { Lock, LockEntry, LockedFile, LockedTarget, LockReport } from "./lock/lock-entry.ts";
export { readLock } from "./lock/read-lock.ts";
export { openHub, openHubWith } from "./open-hub.ts";
export { findLookAlike } from "./plan/find-look-alike.ts";
export { type InstalledSkill, installedSigners } from "./plan/installed-signers.ts";
export type { Plan, PlanItem, Refusal, RefusalCode } from "./plan/plan.ts";
export type { InstallRequest } from "./plan/plan-install.ts";
export type { RestoreRequest } from "./plan/plan-restore.ts";
export type { UpdateRequest } from "./plan/plan-update.ts";
export { scopedCommand } from "./plan/scoped-command.ts";
export { findSkillsBelow, readSkillToPublish, type SkillToPublish } from "./publish/skill-to-publish.ts";
export {
  type WriteSiteOptions,
  type WrittenSite,
  type WrittenSkill,
  writeSite,
} from "./publish/write-site.ts";
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
  type SigningKey,
  type VerifyingKey,
} from "./signature/key.ts";
export { readKey, readSigningKey } from "./signature/read-key.ts";
export { parseSource } from "./source/parse-source.ts";
export { showSource } from "./source/show-source.ts";
export type { Source } from "./source/source.ts";
export type { Agent, AgentPlaces } from "./target/agent.ts";
export { AGENTS } from "./target/agents.ts";
export { detectAgents } from "./target/detect-agents.ts";
export { firstAbilities } from "./update/first-abilities.ts";
export type { HistoryEntry } from "./update/history.ts";
export type { Standing } from "./update/outdated.ts";
export type { CapabilityChange, VersionChanges } from "./update/version-changes.ts";
export type { Drift, DriftKind } from "./verify/drift.ts";
export type { FileDifference, SideChange } from "./verify/three-way.ts";
