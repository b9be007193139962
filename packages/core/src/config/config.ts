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
  /** Not empty: only these bundled skills. */
  readonly enabledBundled: readonly string[];
  /** Milliseconds. */
  readonly scriptTimeout: number;
  readonly directories: readonly SkillDirectory[];
  /** Highest first; explicit folders stand above all of them. */
  readonly precedence: readonly RankedScope[];
  readonly limits: TraversalLimits;
  readonly overrides: Readonly<Record<string, SkillOverride>>;
}

/** A plugin that was installed from a git repository. */
export interface PluginDefinition {
  readonly url: string;
  readonly ref?: string;
  readonly name?: string;
  /** Unless set, it is. */
  readonly enabled?: boolean;
  readonly installedAt?: string;
}

/** A further folder of skills and the scope that they get. */
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
  /** Of tool calls in agents with hooks, where Skillet itself fails; a denial in any layer counts. */
  readonly ifHooksFail: "allow" | "deny";
}

/**
 * A rule for what fits all of its selectors, of which there is at least one.
 *
 * Rules with `tool` are for calls of tools while such a skill is active, the others for loading skills. Within one layer
 * the last rule that fits decides, across layers the strictest.
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

/** A named choice of skills, and of the scripts that may run, for sessions. */
export interface Profile {
  readonly skills: readonly string[];
  /** Exactly `skill:scripts/path`; they run in the runner's sandbox. */
  readonly scripts: readonly string[];
  /** Exactly `skill:scripts/path`; they run on the host, without a sandbox. */
  readonly hostScripts: readonly string[];
}

/** Which sources are trusted, and who reads skills besides the rules. */
export interface ScanConfig {
  /** Exactly `owner/repository`: installed skills from there are of a trusted origin. */
  readonly trustedSources: readonly string[];
  /** Rule packs that judge besides the scanner's own rules. */
  readonly rules: readonly string[];
  readonly judge: JudgeConfig;
  /** Whether a person may call what a scan blocks a false alarm; a no in any layer counts, so an organisation can forbid it. */
  readonly falseAlarms: boolean;
}

/** Where installs may come from, and for whom they are. */
export interface HubConfig {
  /** Hosts (`name` or `name:port`) with private addresses that may be contacted, such as a registry in the house. */
  readonly privateHosts: readonly string[];
  /** Where `skillet find` looks, as an install takes sources. */
  readonly sources: readonly string[];
  /** Ids of agents that get what is installed, unless a command says otherwise. */
  readonly agents: readonly string[];
  /** Sources whose skills must be signed, and by whom. */
  readonly signatures: readonly SignatureRule[];
}

/** Who must have signed what comes from some sources. */
export interface SignatureRule {
  /** A source as `skillet install` takes it, with `*` for any part. */
  readonly sources: string;
  /** Public keys, `ed25519:…` or `ssh-ed25519 …`; one of them is enough. */
  readonly keys: readonly string[];
}

/** A language model, which is asked if both endpoint and model are set. */
export interface ModelConfig {
  /** Such as `https://api.openai.com/v1`. */
  readonly endpoint?: string;
  readonly model?: string;
  /** The variable that holds the key. */
  readonly apiKeyEnv?: string;
  /** What the endpoint speaks; default: chat completions, as OpenAI's. */
  readonly protocol?: "openai" | "anthropic";
}

/** The reader of skills: a model, or a command of the user's own. */
export interface JudgeConfig extends ModelConfig {
  /** A program and its arguments; it gets the question on standard input and prints the answer. */
  readonly command?: readonly string[];
  /** Whether a reader that calls a skill safe takes the scan's warnings back; a no in any layer counts. */
  readonly lowersCaution?: boolean;
}

/** How skills are evaluated. */
export interface EvalConfig {
  /** Which trigger evals ask. */
  readonly model: ModelConfig;
}

/** The reference agent, `skillet agent`. */
export interface AgentConfig {
  readonly model: ModelConfig;
  /** Tokens that the model takes; the conversation is shortened before it is full. */
  readonly contextWindow: number;
  readonly prices: AgentPrices;
}

/** For a million tokens, in the currency that you pay in; without them no money is shown. */
export interface AgentPrices {
  readonly input?: number;
  readonly cached?: number;
  readonly output?: number;
}

/** Servers of the Model Context Protocol that skills come from, by their labels. */
export interface McpConfig {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
}

/** A server, by its address or by the command that starts it. Its skills are called `label:name`. */
export interface McpServerConfig {
  readonly url?: string;
  /** With `url`: the variable that holds the token. */
  readonly tokenEnv?: string;
  readonly command?: readonly string[];
  /** With `command`: variables that it gets besides PATH, HOME and the like. */
  readonly env?: readonly string[];
}

/** From the least to the most strict. */
export const POLICY_MODES = ["default", "plan", "locked"] as const;
export type PolicyMode = (typeof POLICY_MODES)[number];

/** From the least to the most strict. */
export const POLICY_ACTIONS = ["allow", "ask", "deny"] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

export const POLICY_SOURCES = ["model", "user", "preload", "parent"] as const;
export type PolicySource = (typeof POLICY_SOURCES)[number];

/** The scopes that `skills.precedence` orders, in their default order. */
export const RANKED_SCOPES: readonly RankedScope[] = SCOPES.filter((scope) => scope !== "explicit");
export type RankedScope = Exclude<Scope, "explicit">;

/** The scopes that a configured folder can have: those that neither need trust nor grant any. */
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
