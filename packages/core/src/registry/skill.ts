import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Manifest } from "../format/manifest.ts";

export const SCOPES = ["explicit", "organisation", "plugin", "project", "claude", "user", "bundled"] as const;

/** The kind of root that a skill was found in, highest precedence first. */
export type Scope = (typeof SCOPES)[number];

export function isScopeName(word: string): boolean {
  const scopes: readonly string[] = SCOPES;
  return scopes.includes(word.toLowerCase());
}

/** Whether a name has a scope or a plugin, as in `user:pdf`; such names are assigned, never declared. */
export function isQualified(name: string): boolean {
  return name.includes(":");
}

export const ORIGINS = ["builtin", "organisation", "trusted", "community", "agent-created", "local"] as const;

/** Where a skill's bytes came from; derived from its place, never declared by the skill. */
export type Origin = (typeof ORIGINS)[number];

/** The origin of a scope's skills, unless the hub knows where it fetched them from. */
export const SCOPE_ORIGINS: Readonly<Record<Scope, Origin>> = {
  explicit: "local",
  organisation: "organisation",
  plugin: "community",
  project: "local",
  claude: "local",
  user: "local",
  bundled: "builtin",
};

const COMES_WITH_PROJECT: Readonly<Record<Scope, boolean>> = {
  explicit: false,
  organisation: false,
  plugin: false,
  project: true,
  claude: true,
  user: false,
  bundled: false,
};

/** Whether a scope's skills come with a project, perhaps a stranger's clone, and so need trust. */
export function needsTrust(scope: Scope): boolean {
  return COMES_WITH_PROJECT[scope];
}

/** Whether a skill is offered, and if not, the first reason why. */
export type SkillState = "enabled" | "disabled" | "unavailable" | "untrusted" | "shadowed";

/** A requirement of a skill that this machine or host does not meet. */
export interface MissingRequirement {
  readonly kind:
    | "platform"
    | "command"
    | "any-command"
    | "environment"
    | "config"
    | "credential-file"
    | "mcp"
    | "skill"
    | "tool";
  readonly names: readonly string[];
  /** For messages, such as `missing commands: gh, jq`. */
  readonly message: string;
}

/** The SKILL.md on this machine: installs, trust and configuration refer to this path. */
export function hostFileOf({
  hostDirectory,
  path,
  source,
}: Pick<Skill, "hostDirectory" | "path" | "source">): string {
  return hostDirectory === undefined ? path : `${hostDirectory}/${source.file}`;
}

/** One skill of a snapshot. */
export interface Skill {
  /** The declared name, or the folder's. */
  readonly name: string;
  /** Unique in the snapshot: the bare name for the winner of it, else `scope:name` or `plugin:name`. */
  readonly qualifiedName: string;
  readonly scope: Scope;
  readonly origin: Origin;
  /** A file of `.claude/commands` is a skill that only a user can invoke. */
  readonly kind: "skill" | "command";
  readonly plugin?: string | undefined;
  /** The SKILL.md as the agent's tools see it. */
  readonly path: string;
  readonly directory: string;
  /** The folder on this machine, if the agent's tools see it elsewhere. */
  readonly hostDirectory?: string | undefined;
  /** The folder's name; if it differs from `name`, mentions may use either. */
  readonly directoryName: string;
  /** The source in the snapshot that the skill comes from, and its place in that source. */
  readonly source: { readonly id: string; readonly folder: string; readonly file: string };
  /** SHA-256 of SKILL.md. */
  readonly digest: Digest;
  /** SHA-256 of `agents/openai.yaml` beside it, which can change what the skill may do. */
  readonly settingsDigest?: Digest | undefined;
  readonly manifest: Manifest;
  readonly state: SkillState;
  readonly reason?: string | undefined;
  /** All missing requirements, even if the state has another cause. */
  readonly missing: readonly MissingRequirement[];
  /** The length of the text below the header, in UTF-16 units; see `tokenCost`. */
  readonly bodyCharacters: number;
  /** Other places where the same skill was found. */
  readonly alsoAt: readonly string[];
  /** The skill that has the bare name instead of this one. */
  readonly shadowedBy?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}
