import { join } from "node:path";
import { type Origin, SCOPES, type Scope } from "../registry/skill.ts";
import { DEFAULT_LIMITS, type TraversalLimits } from "../source/local/traversal-limits.ts";
import type { ValueOrigin } from "./config-layer.ts";

/** Everything that can be configured, after all layers are merged; paths are absolute. */
export interface Config {
  readonly skills: SkillsConfig;
  readonly policy: PolicyConfig;
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly scan: ScanConfig;
  readonly hub: HubConfig;
  readonly eval: EvalConfig;
  readonly agent: AgentConfig;
  readonly mcp: McpConfig;
}

/** Where skills come from and which of them are offered. */
export interface SkillsConfig {
  readonly plugins: readonly PluginDefinition[];
  readonly pluginsDir: string;
  readonly userDir: string;
  readonly disabledBundled: readonly string[];
  /** If not empty, only these bundled skills are offered. */
  readonly enabledBundled: readonly string[];
  /** Milliseconds. */
  readonly scriptTimeout: number;
  readonly directories: readonly SkillDirectory[];
  /** Highest first; explicit folders come before all of them. */
  readonly precedence: readonly RankedScope[];
  readonly limits: TraversalLimits;
  readonly overrides: Readonly<Record<string, SkillOverride>>;
}

/** A plugin that was installed from a git repository. */
export interface PluginDefinition {
  readonly url: string;
  readonly ref?: string;
  readonly name?: string;
  /** Default: true. */
  readonly enabled?: boolean;
  readonly installedAt?: string;
}

/** An additional folder of skills, and the scope of its skills. */
export interface SkillDirectory {
  readonly path: string;
  readonly scope: DirectoryScope;
}

/** Settings of one skill; the key is its name, its qualified name or its folder. */
export interface SkillOverride {
  readonly enabled?: boolean;
}

/** How careful sessions are, and what may be activated. */
export interface PolicyConfig {
  readonly mode: PolicyMode;
  readonly rules: readonly PolicyRule[];
  /** For tool calls in agents with hooks, if Skillet itself fails; a denial in any layer wins. */
  readonly ifHooksFail: "allow" | "deny";
}

/**
 * A rule for everything that matches all of its selectors, of which there is at least one.
 *
 * Rules with `tool` apply to tool calls while a matching skill is active, the others to loading skills.
 * Within a layer the last matching rule decides, across layers the strictest.
 */
export interface PolicyRule {
  /** A name or qualified name, with `*` for any part. */
  readonly skill?: string;
  readonly origin?: Origin;
  /** As in `allowed-tools`: `Bash(git push:*)`. */
  readonly tool?: string;
  readonly mode?: PolicyMode;
  readonly source?: PolicySource;
  readonly action: PolicyAction;
  readonly from: ValueOrigin;
}

/** A named selection of skills, and of the scripts that may run, for sessions. */
export interface Profile {
  readonly skills: readonly string[];
  /** Exactly `skill:scripts/path`; they run in the runner's sandbox. */
  readonly scripts: readonly string[];
  /** Exactly `skill:scripts/path`; they run on the host, without a sandbox. */
  readonly hostScripts: readonly string[];
}

/** Which sources are trusted, and what judges skills in addition to the scanner's rules. */
export interface ScanConfig {
  /** Exactly `owner/repository`: skills installed from there have the origin `trusted`. */
  readonly trustedSources: readonly string[];
  /** Rule packs that are applied in addition to the scanner's own rules. */
  readonly rules: readonly string[];
  readonly judge: JudgeConfig;
  /** Whether a user may call a blocking finding a false alarm. False in any layer wins. */
  readonly falseAlarms: boolean;
}

/** Where installs may come from, and which agents they are for. */
export interface HubConfig {
  /** Hosts with private addresses that may be contacted: `registry.internal`, `127.0.0.1:5000`. */
  readonly privateHosts: readonly string[];
  /** Where `skillet find` searches; sources as for an install. */
  readonly sources: readonly string[];
  /** Ids of the agents that installs are for, unless a command says otherwise. */
  readonly agents: readonly string[];
  /** Sources whose skills must be signed, and by whom. */
  readonly signatures: readonly SignatureRule[];
}

/** Which keys must have signed skills from some sources. */
export interface SignatureRule {
  /** A source as `skillet install` takes it, with `*` for any part. */
  readonly sources: string;
  /** Public keys, `ed25519:…` or `ssh-ed25519 …`; a signature by one of them is enough. */
  readonly keys: readonly string[];
}

/** A language model, which is used if both endpoint and model are set. */
export interface ModelConfig {
  /** For example `https://api.openai.com/v1`. */
  readonly endpoint?: string;
  readonly model?: string;
  /** The environment variable with the key. */
  readonly apiKeyEnv?: string;
  /** The protocol of the endpoint; default: OpenAI's chat completions. */
  readonly protocol?: "openai" | "anthropic";
}

/** The judge of skills: a model, or a command of the user. */
export interface JudgeConfig extends ModelConfig {
  /** A program and its arguments; it reads the question from standard input and prints the answer. */
  readonly command?: readonly string[];
  /** Whether the judge may drop the scan's warnings by calling a skill safe; false in any layer wins. */
  readonly lowersCaution?: boolean;
}

/** How skills are evaluated. */
export interface EvalConfig {
  /** The model for trigger evals. */
  readonly model: ModelConfig;
}

/** The reference agent, `skillet agent`. */
export interface AgentConfig {
  readonly model: ModelConfig;
  /** The model's limit in tokens; the conversation is compacted before it is reached. */
  readonly contextWindow: number;
  readonly prices: AgentPrices;
}

/** Per million tokens, in the currency that you pay in; without prices no costs are shown. */
export interface AgentPrices {
  readonly input?: number;
  readonly cached?: number;
  readonly output?: number;
}

/** MCP servers that skills come from, by label. */
export interface McpConfig {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
}

/** A server, by its address or by the command that starts it. Its skills are called `label:name`. */
export interface McpServerConfig {
  readonly url?: string;
  /** With `url`: the environment variable with the token. */
  readonly tokenEnv?: string;
  readonly command?: readonly string[];
  /** With `command`: variables that it gets in addition to PATH, HOME and the like. */
  readonly env?: readonly string[];
}

/** Least strict first. */
export const POLICY_MODES = ["default", "plan", "locked"] as const;
export type PolicyMode = (typeof POLICY_MODES)[number];

/** Least strict first. */
export const POLICY_ACTIONS = ["allow", "ask", "deny"] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

export const POLICY_SOURCES = ["model", "user", "preload", "parent"] as const;
export type PolicySource = (typeof POLICY_SOURCES)[number];

/** The scopes that `skills.precedence` orders, in their default order. */
export const RANKED_SCOPES: readonly RankedScope[] = SCOPES.filter((scope) => scope !== "explicit");
export type RankedScope = Exclude<Scope, "explicit">;

/** The scopes that a configured folder can have: those that neither need trust nor grant it. */
export type DirectoryScope = "explicit" | "organisation" | "plugin" | "user";

const SCRIPT_TIMEOUT_MS = 60_000;

export const DEFAULT_TRUSTED_SOURCES: readonly string[] = [
  "openai/skills",
  "anthropics/skills",
  "huggingface/skills",
  "NVIDIA/skills",
];

export function defaultConfig(home: string): Config {
  return {
    skills: {
      plugins: [],
      pluginsDir: join(home, "plugins"),
      userDir: join(home, "skills"),
      disabledBundled: [],
      enabledBundled: [],
      scriptTimeout: SCRIPT_TIMEOUT_MS,
      directories: [],
      precedence: RANKED_SCOPES,
      limits: DEFAULT_LIMITS,
      overrides: {},
    },
    policy: { mode: "default", rules: [], ifHooksFail: "allow" },
    profiles: {},
    scan: { trustedSources: DEFAULT_TRUSTED_SOURCES, rules: [], judge: {}, falseAlarms: true },
    hub: { privateHosts: [], sources: [], agents: [], signatures: [] },
    eval: { model: {} },
    agent: { model: {}, contextWindow: 200_000, prices: {} },
    mcp: { servers: {} },
  };
}

export function configPath(home: string): string {
  return join(home, "config.yaml");
}

export function projectConfigPath(projectRoot: string): string {
  return join(projectRoot, ".skillet", "config.yaml");
}
