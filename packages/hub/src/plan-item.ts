import type { Manifest, Origin, TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { JsonObject } from "@skillet/kit/json";
import type { Capabilities, ScanReport, TrustDecision } from "@skillet/scan";
import type { Drift, LockEntry } from "./lock/lock-entry.ts";
import type { Signed } from "./signature/check-signature-policy.ts";
import type { Resolved, Source } from "./sources/source.ts";

/**
 * The states of a skill or plugin between source and lock: `offered` by name, `read` whole or `unfit`,
 * `judged` by the scan, then `planned` or `refused`, and `done` once the plan was carried out.
 */
export type PlanItem = OfferedItem | ReadItem | UnfitItem | JudgedItem | PlannedItem | RefusedItem | DoneItem;

export interface Plan {
  readonly items: readonly PlannedItem[];
  /** If there are any, nothing of the plan is carried out. */
  readonly refusals: readonly RefusedItem[];
  /** These do not stop the rest: blocked skills of a lock, plugins of the config, and with `keepGoing` everything. */
  readonly failed?: readonly RefusedItem[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface OfferedItem {
  readonly state: "offered";
  readonly kind: "skill" | "plugin";
  /** As declared, or its folder's name; `@name` and `--skill` select by it. */
  readonly name: string;
  readonly description: string;
  readonly folder: string;
  /** Hidden from lists unless requested by name. */
  readonly internal: boolean;
  readonly plugin?: string;
  /** Where a marketplace says that it is, unless that is the source itself. */
  readonly elsewhere?: Source;
  /** The commit or digest that the marketplace pins. */
  readonly pin?: string;
  /** A marketplace's entry, if it is the only manifest. */
  readonly entry?: JsonObject;
}

/** All bytes are in memory, validated and digested; the scanned bytes are the ones that are placed. */
export interface ReadItem {
  readonly state: "read";
  readonly kind: "skill" | "plugin";
  readonly name: string;
  readonly files: readonly TreeFile[];
  readonly digest: Digest;
  /** Set for a skill. */
  readonly manifest?: Manifest;
  /** Set for a plugin. */
  readonly parts?: PluginParts;
  readonly resolved: Resolved;
  readonly folder: string;
  readonly identity?: string;
  /** Only a lock says where it came from, and nothing on this machine confirms that: its origin is `community`. */
  readonly unproven?: true;
  /** The untrusted project that contains it, if that is why its origin is `community`. */
  readonly untrusted?: string;
  /** Absent if no rule of the policy applies to its source. */
  readonly signed?: Signed;
  readonly diagnostics: readonly Diagnostic[];
}

export interface PluginParts {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly skills: readonly { readonly name: string; readonly folder: string }[];
  readonly commands: readonly string[];
  readonly agents: readonly string[];
  /** Files that always instruct an agent, for example output styles and rules, and instructions in the manifest. */
  readonly instructions: readonly string[];
  /** Everything else that it sets, as written: settings, apps, required plugins, and unknown keys. */
  readonly settings: readonly string[];
  /** Commands that would run on events or all the time, with all their settings; off until allowed. */
  readonly hooks: readonly { readonly event: string; readonly command: string }[];
  readonly mcpServers: readonly { readonly name: string; readonly command?: string; readonly url?: string }[];
}

export interface UnfitItem {
  readonly state: "unfit";
  readonly name: string;
  readonly problem: string;
  readonly code: "unfit" | "signature-missing";
  readonly diagnostics: readonly Diagnostic[];
}

export interface JudgedItem extends Omit<ReadItem, "state"> {
  readonly state: "judged";
  readonly report: ScanReport;
  readonly origin: Origin;
  readonly decision: TrustDecision;
  /** The decision is based on an earlier approval of exactly these bytes that is still valid. */
  readonly approved?: true;
}

export interface PlannedItem extends Omit<JudgedItem, "state"> {
  readonly state: "planned";
  readonly action: "install" | "update" | "rollback" | "restore" | "unchanged";
  readonly entry: LockEntry;
  /** The version that it would replace; absent if the name is free. */
  readonly installed?: Installed;
  /** Where it really comes from, unless that is the source that was named. */
  readonly takenFrom?: string;
  /** Requested agents that get no link, and why: they read the same bytes already, or would not load it. */
  readonly unlinked?: readonly { readonly agent: string; readonly why: string }[];
  /** Set if the user named its source for this plan. */
  readonly askedBy?: "person";
  /** Why the user must approve it before it is placed; empty if no approval is needed. */
  readonly questions: readonly string[];
  readonly newerTag?: NewerTag;
}

/** If the source names a tag, which updates never leave: the newest higher tag, as a source, and how to install it. */
export interface NewerTag {
  readonly tag: string;
  readonly source: string;
  readonly command: string;
  /** Why it cannot be installed; empty if it no longer contains the skill. */
  readonly refused?: string;
}

export interface Installed {
  readonly entry: LockEntry;
  readonly changes: VersionChanges;
  readonly drift: readonly Drift[];
  /** Signs that the new version, though signed, may be older or has another publisher; only force overrides these. */
  readonly doubts: readonly string[];
  /** Doubts that force overrode, so that nobody is asked; shown and recorded. */
  readonly overridden: readonly string[];
}

export interface VersionChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly gained: readonly CapabilityChange[];
  readonly lost: readonly CapabilityChange[];
}

export interface CapabilityChange {
  readonly kind:
    | keyof Capabilities
    | "scripts"
    | "hooks"
    | "mcpServers"
    | "skills"
    | "slashCommands"
    | "agents"
    | "instructions"
    | "settings"
    | "allowedTools"
    | "limits";
  /** Set if it is not the usual one for the kind. */
  readonly verb?: string;
  readonly value: string;
  readonly text: string;
}

export interface RefusedItem {
  readonly state: "refused";
  readonly name: string;
  readonly source: string;
  readonly code: RefusalCode;
  readonly reason: string;
  readonly digest?: Digest;
  /** Set if the trust table blocked it. */
  readonly judged?: JudgedItem;
  /** For the audit log; absent for an install. A block is always recorded as a block. */
  readonly wanted?: "update" | "rollback";
  /** The skill that required it; absent if it was requested itself. */
  readonly neededBy?: string;
}

export type RefusalCode =
  | "blocked"
  | "unfit"
  | "name-taken"
  /** The same bytes are there already, under the same name: nothing to do, and not a failure. */
  | "present"
  | "pinned"
  | "linked"
  | "frozen-mismatch"
  | "signature-missing"
  | "gone-upstream"
  | "unavailable";

export interface DoneItem extends Partial<Pick<LockEntry, "resolved" | "digest" | "targets">> {
  readonly state: "done";
  readonly name: string;
  readonly source: string;
  readonly outcome: HubOutcome;
  readonly reason?: string;
  readonly changes?: VersionChanges;
  readonly newerTag?: NewerTag;
  readonly signedBy?: readonly Digest[];
}

export type HubOutcome =
  | "installed"
  | "updated"
  | "restored"
  | "rolled-back"
  | "unchanged"
  | "removed"
  | "blocked"
  | "refused"
  /** Its source is not available, and the others continue without it. */
  | "failed"
  /** The user declined, or there was nobody to ask. */
  | "declined"
  /** Another item of the same call was refused, so nothing was done. */
  | "skipped";
