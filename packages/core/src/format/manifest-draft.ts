import type { FaultList } from "./fault-list.ts";
import type {
  EnvironmentRequirement,
  Execution,
  Gating,
  InstallSpec,
  Invocation,
  Manifest,
  Triggers,
  Ui,
} from "./manifest.ts";
import { createRawMap, present } from "./raw-header.ts";

/** What dialects other than the specification's own fields say, while they are read; the first to say it wins. */
export class ManifestDraft {
  license: string | undefined = undefined;
  version: string | undefined = undefined;
  author: string | undefined = undefined;
  homepage: string | undefined = undefined;
  tags: readonly string[] = EMPTY_LIST;
  relatedSkills: readonly string[] = EMPTY_LIST;
  triggers: Triggers = NO_TRIGGERS;
  toolsets: readonly string[] = EMPTY_LIST;
  install: readonly InstallSpec[] = EMPTY_LIST;
  internal = false;
  displayName: string | undefined = undefined;
  shortDescription: string | undefined = undefined;
  emoji: string | undefined = undefined;
  private gatingDraft: GatingDraft | undefined = undefined;

  get gating(): GatingDraft {
    this.gatingDraft ??= new GatingDraft();
    return this.gatingDraft;
  }

  addTags(tags: readonly string[]): void {
    if (tags.length > 0) this.tags = this.tags.length === 0 ? tags : [...new Set([...this.tags, ...tags])];
  }

  finishGating(): Gating {
    return this.gatingDraft === undefined ? NO_GATING : this.gatingDraft.finish();
  }

  finishUi(): Ui {
    const { displayName, shortDescription, emoji } = this;
    const isEmpty = (displayName ?? shortDescription ?? emoji) === undefined;
    return isEmpty ? NO_UI : present<Ui>({ displayName, shortDescription, emoji });
  }
}

type ListName = {
  [Name in keyof Gating]-?: Gating[Name] extends readonly string[] ? Name : never;
}[keyof Gating];

const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

// Up to here, looking through the list is cheaper than keeping a set.
const MAX_SCANNED_VARIABLES = 16;

const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ["macos", "darwin"],
  ["mac", "darwin"],
  ["osx", "darwin"],
  ["windows", "win32"],
  ["win", "win32"],
]);

/** Requirements of one skill while its dialects are read; what several of them say is merged, and the first wins. */
export class GatingDraft implements Record<ListName, readonly string[]> {
  always = false;
  skillKey: string | undefined = undefined;
  primaryEnv: string | undefined = undefined;
  os: readonly string[] = EMPTY_LIST;
  bins: readonly string[] = EMPTY_LIST;
  anyBins: readonly string[] = EMPTY_LIST;
  commands: readonly string[] = EMPTY_LIST;
  config: readonly string[] = EMPTY_LIST;
  environments: readonly string[] = EMPTY_LIST;
  credentialFiles: readonly string[] = EMPTY_LIST;
  skills: readonly string[] = EMPTY_LIST;
  requiresTools: readonly string[] = EMPTY_LIST;
  requiresToolsets: readonly string[] = EMPTY_LIST;
  fallbackForTools: readonly string[] = EMPTY_LIST;
  fallbackForToolsets: readonly string[] = EMPTY_LIST;
  private env: EnvironmentRequirement[] | undefined = undefined;
  private indexes: Map<string, number> | undefined = undefined;

  add(name: ListName, items: readonly string[]): void {
    if (items.length > 0) this[name] = union(this[name], items);
  }

  addPlatforms(names: readonly string[]): void {
    this.add("os", toPlatforms(names));
  }

  addVariable(variable: EnvironmentRequirement, faults: FaultList, path: string): void {
    if (!ENVIRONMENT_NAME.test(variable.name)) {
      reportName(variable.name, faults, path);
      return;
    }
    if (this.indexOf(variable.name) !== -1) return;
    this.env ??= [];
    this.indexes?.set(variable.name, this.env.length);
    this.env.push(variable);
  }

  /** Says which hosts a variable may be sent to; one that nothing else requires is optional. */
  addHosts(name: string, hosts: readonly string[], faults: FaultList, path: string): void {
    const index = this.indexOf(name);
    const present = this.env?.[index];
    if (this.env === undefined || present === undefined)
      this.addVariable({ name, optional: true, hosts }, faults, path);
    else if (present.hosts === undefined) this.env[index] = { ...present, hosts };
  }

  private indexOf(name: string): number {
    const { env } = this;
    if (env === undefined) return -1;
    if (env.length < MAX_SCANNED_VARIABLES) return env.findIndex((variable) => variable.name === name);
    this.indexes ??= new Map(env.map((variable, index) => [variable.name, index]));
    return this.indexes.get(name) ?? -1;
  }

  finish(): Gating {
    const gating: { -readonly [Key in keyof Gating]: Gating[Key] } = {
      always: this.always,
      os: this.os,
      bins: this.bins,
      anyBins: this.anyBins,
      commands: this.commands,
      config: this.config,
      environments: this.environments,
      credentialFiles: this.credentialFiles,
      env: this.env ?? EMPTY_LIST,
      mcp: EMPTY_LIST,
      skills: this.skills,
      requiresTools: this.requiresTools,
      requiresToolsets: this.requiresToolsets,
      fallbackForTools: this.fallbackForTools,
      fallbackForToolsets: this.fallbackForToolsets,
    };
    if (this.skillKey !== undefined) gating.skillKey = this.skillKey;
    if (this.primaryEnv !== undefined) gating.primaryEnv = this.primaryEnv;
    return gating;
  }
}

export function toPlatforms(names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const lower = name.toLowerCase();
    return PLATFORMS.get(lower) ?? lower;
  });
}

function union(present: readonly string[], added: readonly string[]): readonly string[] {
  if (present.length === 0 && added.length === 1) return added;
  return [...new Set([...present, ...added])];
}

function reportName(name: string, faults: FaultList, path: string): void {
  faults.addAtKey(
    {
      code: "invalid-environment-name",
      severity: "warning",
      message: `${JSON.stringify(name)} is no name of an environment variable, and is left out.`,
      hint: "Use letters, digits and underscores, and no digit first.",
    },
    path,
  );
}

// All of these are shared and frozen, so that a plain manifest costs few allocations.

export const EMPTY_LIST: readonly never[] = Object.freeze([]);

export const EMPTY_RECORD: Readonly<Record<string, never>> = Object.freeze(createRawMap()) as Readonly<
  Record<string, never>
>;

const NO_TRIGGERS: Triggers = Object.freeze({
  keywords: EMPTY_LIST,
  verbs: EMPTY_LIST,
  patterns: EMPTY_LIST,
});

export const DEFAULT_INVOCATION: Invocation = Object.freeze({
  model: true,
  user: true,
  paths: EMPTY_LIST,
  products: EMPTY_LIST,
  internal: false,
});

export const NO_ARGUMENTS: Manifest["args"] = Object.freeze({ names: EMPTY_LIST });

export const DEFAULT_EXECUTION: Execution = Object.freeze({ context: "inline" });

export const NO_TOOLS: Manifest["tools"] = Object.freeze({ allowed: EMPTY_LIST, disallowed: EMPTY_LIST });

export const NO_GATING: Gating = Object.freeze({
  always: false,
  os: EMPTY_LIST,
  bins: EMPTY_LIST,
  anyBins: EMPTY_LIST,
  commands: EMPTY_LIST,
  config: EMPTY_LIST,
  environments: EMPTY_LIST,
  credentialFiles: EMPTY_LIST,
  env: EMPTY_LIST,
  mcp: EMPTY_LIST,
  skills: EMPTY_LIST,
  requiresTools: EMPTY_LIST,
  requiresToolsets: EMPTY_LIST,
  fallbackForTools: EMPTY_LIST,
  fallbackForToolsets: EMPTY_LIST,
});

const NO_UI: Ui = Object.freeze({});
