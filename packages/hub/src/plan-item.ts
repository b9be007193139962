import type { Manifest, Origin, TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { JsonObject } from "@skillet/kit/json";
import type { Capabilities, ScanReport, TrustDecision } from "@skillet/scan";
import type { Drift, LockEntry } from "./lock/lock-entry.ts";
import type { Signed } from "./signature/check-signature-policy.ts";
import type { Resolved, Source } from "./sources/source.ts";

/**
 * One skill or plugin on its way from a source into a lock: `offered` by name, `read` whole or `unfit`, `judged` by the
 * scan, then `planned` or `refused`, and `done` once the plan was carried out.
 */
export type PlanItem = OfferedItem | ReadItem | UnfitItem | JudgedItem | PlannedItem | RefusedItem | DoneItem;

export interface Plan {
  readonly items: readonly PlannedItem[];
  /** With one of these nothing of the plan is carried out. */
  readonly refusals: readonly RefusedItem[];
  /** The rest is carried out all the same: blocked skills of a lock, plugins of the config, all with `keepGoing`. */
  readonly failed?: readonly RefusedItem[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface OfferedItem {
  readonly state: "offered";
  readonly kind: "skill" | "plugin";
  /** As it declares it, or its folder's; `@name` and `--skill` pick by it. */
  readonly name: string;
  readonly description: string;
  readonly folder: string;
  /** Hidden from lists unless asked for by name. */
  readonly internal: boolean;
  readonly plugin?: string;
  /** Where a marketplace says that it lies, unless that is the source itself. */
  readonly elsewhere?: Source;
  /** The commit or digest that the marketplace pins. */
  readonly pin?: string;
  /** Of a marketplace, where its entry is all the manifest there is. */
  readonly entry?: JsonObject;
}

/** All its bytes are in memory, validated and digested; what is scanned is what is placed. */
export interface ReadItem {
  readonly state: "read";
  readonly kind: "skill" | "plugin";
  readonly name: string;
  readonly files: readonly TreeFile[];
  readonly digest: Digest;
  /** Of a skill. */
  readonly manifest?: Manifest;
  /** Of a plugin. */
  readonly parts?: PluginParts;
  readonly resolved: Resolved;
  readonly folder: string;
  readonly identity?: string;
  /** Only a lock says where it came from, and nothing here bears that out: it counts as the community's. */
  readonly unproven?: true;
  /** The untrusted project that it lies in, where that is why it counts as the community's. */
  readonly untrusted?: string;
  /** Absent where no rule of the policy is about its source. */
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
  /** Files that tell an agent something at all times, such as output styles and rules, and those that its manifest holds. */
  readonly instructions: readonly string[];
  /** Everything else that it sets, each as it stands: settings, apps, plugins that it needs, and unknown keys. */
  readonly settings: readonly string[];
  /** Commands that would run on events or all the time, with all that is said of them; off until allowed. */
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
  /** The decision rests on an earlier approval of exactly these bytes, which holds still. */
  readonly approved?: true;
}

export interface PlannedItem extends Omit<JudgedItem, "state"> {
  readonly state: "planned";
  readonly action: "install" | "update" | "rollback" | "restore" | "unchanged";
  readonly entry: LockEntry;
  /** The version that it would replace; absent where the name is free. */
  readonly installed?: Installed;
  /** Where it really comes from, unless that is the source that was named. */
  readonly takenFrom?: string;
  /** Agents that were to have it and get no link, and why: they read the same bytes already, or would not load it. */
  readonly unlinked?: readonly { readonly agent: string; readonly why: string }[];
  /** Set where a person named its source just now. */
  readonly askedBy?: "person";
  /** Why a person must approve this one before it is placed; empty where no one needs to. */
  readonly questions: readonly string[];
  readonly newerTag?: NewerTag;
}

/** Where the source names a tag, which an update does not leave: the newest above it, as a source, and how to have it. */
export interface NewerTag {
  readonly tag: string;
  readonly source: string;
  readonly command: string;
  /** Why it cannot be had as it is; empty where it no longer has the skill. */
  readonly refused?: string;
}

export interface Installed {
  readonly entry: LockEntry;
  readonly changes: VersionChanges;
  readonly drift: readonly Drift[];
  /** That the new version may be older, though it is signed, or has another publisher; only force answers these. */
  readonly doubts: readonly string[];
  /** Doubts that force answered, so that no one is asked; shown and recorded. */
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
  /** Where it is not the usual one for the kind. */
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
  /** Set where the trust table blocked it. */
  readonly judged?: JudgedItem;
  /** For the audit log; absent for an install. A block is recorded as one in any case. */
  readonly wanted?: "update" | "rollback";
  /** The skill that would have brought it along, unless this one was asked for itself. */
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
  /** Its source is not available, and the others go on without it. */
  | "failed"
  /** A person said no, or there was no one to ask. */
  | "declined"
  /** Another one of the same call was refused, so nothing was done. */
  | "skipped";
