import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Manifest } from "../format/manifest.ts";

export const SCOPES = ["explicit", "organisation", "plugin", "project", "claude", "user", "bundled"] as const;

/** Which kind of root a skill was found in, highest precedence first. */
export type Scope = (typeof SCOPES)[number];

export function isScopeName(word: string): boolean {
  const scopes: readonly string[] = SCOPES;
  return scopes.includes(word.toLowerCase());
}

/** Whether a name reads as qualified ones do, by a scope or a plugin, such as `user:pdf`; those are given, never declared. */
export function isQualified(name: string): boolean {
  return name.includes(":");
}

export const ORIGINS = ["builtin", "organisation", "trusted", "community", "agent-created", "local"] as const;

/** Where a skill's bytes came from; derived from its place, never declared by it. */
export type Origin = (typeof ORIGINS)[number];

/** The origin of a scope's skills, unless the hub knows better from where it fetched them. */
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

/** Whether skills of a scope come with a project, which may be a stranger's clone, so that they wait for trust. */
export function needsTrust(scope: Scope): boolean {
  return COMES_WITH_PROJECT[scope];
}

/** Whether a skill is offered, and if not, the first reason why. */
export type SkillState = "enabled" | "disabled" | "unavailable" | "untrusted" | "shadowed";

/** Something a skill needs and this machine or host does not have. */
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
  /** For people, such as `missing commands: gh, jq`. */
  readonly message: string;
}

/** Where a SKILL.md lies on this machine: what is installed, trusted or configured is known by that path. */
export function hostFileOf({
  hostDirectory,
  path,
  source,
}: Pick<Skill, "hostDirectory" | "path" | "source">): string {
  return hostDirectory === undefined ? path : `${hostDirectory}/${source.file}`;
}

/** One skill of a snapshot. */
export interface Skill {
  /** The name it declares, or its folder's. */
  readonly name: string;
  /** Unique in the snapshot: the name itself for the winner of that name, else `scope:name` or `plugin:name`. */
  readonly qualifiedName: string;
  readonly scope: Scope;
  readonly origin: Origin;
  /** A file of `.claude/commands` is a skill that only a user can invoke. */
  readonly kind: "skill" | "command";
  readonly plugin?: string | undefined;
  /** The SKILL.md as the agent's tools see it. */
  readonly path: string;
  readonly directory: string;
  /** Where it lies on this machine, when the agent's tools see it elsewhere. */
  readonly hostDirectory?: string | undefined;
  /** Both resolve in mentions: the folder's name, where it differs from `name`. */
  readonly directoryName: string;
  /** Which source of the snapshot it came from, and where in it. */
  readonly source: { readonly id: string; readonly folder: string; readonly file: string };
  /** SHA-256 of SKILL.md. */
  readonly digest: Digest;
  /** SHA-256 of `agents/openai.yaml` beside it, which can change what the skill may do. */
  readonly settingsDigest?: Digest | undefined;
  readonly manifest: Manifest;
  readonly state: SkillState;
  readonly reason?: string | undefined;
  /** Everything that is missing, also when the state has another cause. */
  readonly missing: readonly MissingRequirement[];
  /** The length of the instructions below the header, in UTF-16 units; see `tokenCost`. */
  readonly bodyCharacters: number;
  /** Other places where the very same skill was found. */
  readonly alsoAt: readonly string[];
  /** The skill that took the bare name from this one. */
  readonly shadowedBy?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}
