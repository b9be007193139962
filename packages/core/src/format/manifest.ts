/**
 * The content of a SKILL.md header in one shape, whatever dialect it was written in.
 *
 * Keys that no dialect defines are kept unchanged in `extra` and never interpreted.
 */
export interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly version?: string;
  readonly author?: string;
  readonly homepage?: string;
  readonly tags: readonly string[];
  readonly relatedSkills: readonly string[];
  readonly triggers: Triggers;
  readonly toolsets: readonly string[];
  readonly invocation: Invocation;
  readonly args: { readonly hint?: string; readonly names: readonly string[] };
  readonly execution: Execution;
  readonly tools: { readonly allowed: readonly string[]; readonly disallowed: readonly string[] };
  readonly gating: Gating;
  readonly install: readonly InstallSpec[];
  readonly ui: Ui;
  /** Kept as found; Skillet never runs hooks without an explicit opt-in. */
  readonly hooks?: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What should call the skill. */
export interface Triggers {
  readonly keywords: readonly string[];
  readonly verbs: readonly string[];
  readonly patterns: readonly string[];
}

/** Who may invoke a skill, and where it is offered. */
export interface Invocation {
  readonly model: boolean;
  readonly user: boolean;
  readonly paths: readonly string[];
  readonly products: readonly string[];
  readonly internal: boolean;
}

/** How the skill is run when it is activated. */
export interface Execution {
  readonly context: "inline" | "fork";
  readonly agent?: string;
  readonly background?: boolean;
  readonly model?: string;
  readonly effort?: string;
  readonly shell?: string;
}

/** Requirements that must be met before a skill is offered. */
export interface Gating {
  readonly always: boolean;
  readonly skillKey?: string;
  readonly primaryEnv?: string;
  /** Node's platform names: darwin, linux, win32. */
  readonly os: readonly string[];
  readonly bins: readonly string[];
  readonly anyBins: readonly string[];
  /** Advisory commands, shown to users: a missing one does not hide the skill. */
  readonly commands: readonly string[];
  readonly config: readonly string[];
  readonly environments: readonly string[];
  readonly credentialFiles: readonly string[];
  readonly env: readonly EnvironmentRequirement[];
  readonly mcp: readonly McpRequirement[];
  readonly skills: readonly string[];
  readonly requiresTools: readonly string[];
  readonly requiresToolsets: readonly string[];
  readonly fallbackForTools: readonly string[];
  readonly fallbackForToolsets: readonly string[];
}

/** An environment variable that a skill's scripts read. */
export interface EnvironmentRequirement {
  readonly name: string;
  readonly prompt?: string;
  readonly help?: string;
  readonly requiredFor?: string;
  readonly optional?: boolean;
  readonly hosts?: readonly string[];
}

/** An MCP server that a skill needs the host to have. */
export interface McpRequirement {
  readonly name: string;
  readonly transport: string;
  readonly url?: string;
  readonly command?: string;
  readonly description?: string;
}

/** How to install a missing tool; shown as a plan, run only when approved. */
export interface InstallSpec {
  readonly kind: string;
  readonly id?: string;
  readonly label?: string;
  readonly bins: readonly string[];
  readonly os: readonly string[];
  /** The dialect's own fields (`formula`, `package`, `module`, `url`, …) as found. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How a picker shows the skill. */
export interface Ui {
  readonly displayName?: string;
  readonly shortDescription?: string;
  readonly iconSmall?: string;
  readonly iconLarge?: string;
  readonly brandColor?: string;
  readonly defaultPrompt?: string;
  readonly emoji?: string;
}

// Shared and frozen, so that a plain manifest costs few allocations.

export const EMPTY_LIST: readonly never[] = Object.freeze([]);

/** The requirements that are lists, in the order in which they are written. */
export const GATING_LISTS: readonly (keyof Gating & string)[] = `os bins anyBins commands config environments
  credentialFiles env mcp skills requiresTools requiresToolsets fallbackForTools fallbackForToolsets`.split(
  /\s+/,
) as (keyof Gating & string)[];

export const NO_GATING: Gating = Object.freeze({
  always: false,
  ...Object.fromEntries(GATING_LISTS.map((name) => [name, EMPTY_LIST])),
} as unknown as Gating);

export const DEFAULT_MANIFEST: Omit<Manifest, "name" | "description" | "metadata" | "extra"> = Object.freeze({
  tags: EMPTY_LIST,
  relatedSkills: EMPTY_LIST,
  triggers: Object.freeze({ keywords: EMPTY_LIST, verbs: EMPTY_LIST, patterns: EMPTY_LIST }),
  toolsets: EMPTY_LIST,
  invocation: Object.freeze({
    model: true,
    user: true,
    paths: EMPTY_LIST,
    products: EMPTY_LIST,
    internal: false,
  }),
  args: Object.freeze({ names: EMPTY_LIST }),
  execution: Object.freeze({ context: "inline" }),
  tools: Object.freeze({ allowed: EMPTY_LIST, disallowed: EMPTY_LIST }),
  gating: NO_GATING,
  install: EMPTY_LIST,
  ui: Object.freeze({}),
});
