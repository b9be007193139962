import { join, resolve } from "node:path";
import { configPath, projectConfigPath } from "./config/config-path.ts";
import { createEnablement } from "./config/create-enablement.ts";
import { type LoadedConfig, loadConfig } from "./config/load-config.ts";
import { organisationDirectory } from "./config/organisation-directory.ts";
import { createAvailability } from "./registry/availability/create-availability.ts";
import { discoverSkills } from "./registry/discover-skills.ts";
import { findSkill, type SkillResolution } from "./registry/find-skill.ts";
import { indexCommand, indexResources } from "./registry/index-resources.ts";
import type { ContentBounds, SkillContent } from "./registry/read-skill-content.ts";
import type { ResourceIndex } from "./registry/resource.ts";
import type { Skill } from "./registry/skill.ts";
import type { SkillRoot } from "./registry/skill-root.ts";
import type { Snapshot } from "./registry/snapshot.ts";
import { diffSnapshots } from "./registry/snapshot-diff.ts";
import {
  type SkillsChange,
  type SkillsWatch,
  type WatchOptions,
  watchSkills,
} from "./registry/watch-skills.ts";
import { openSession } from "./session/open-session.ts";
import { type ResumedSession, type ResumeOptions, resumeSession } from "./session/resume-session.ts";
import type { Session } from "./session/session.ts";
import type { SessionOptions } from "./session/session-options.ts";
import type { SessionParts } from "./session/session-parts.ts";
import type { DeclaredToolset } from "./session/tools/declaration/declared-toolset.ts";
import { readSkillToolsets } from "./session/tools/declaration/read-skill-toolsets.ts";
import { SkilletError } from "./skillet-error.ts";
import { canonicalPath } from "./source/canonical-path.ts";
import type { SkillSource, TreeStamp } from "./source/skill-source.ts";
import { trustPath } from "./trust/trust-store.ts";
import type { SkillVetter } from "./vetting/skill-vetter.ts";
import { bundledDirectory } from "./workspace/bundled-directory.ts";
import { createSkillReader, stampSkill } from "./workspace/create-skill-reader.ts";
import { type LocatedWorkspace, locateWorkspace, type Project } from "./workspace/locate-workspace.ts";
import { readSkillText, type SkillText } from "./workspace/read-skill-text.ts";
import { resolveHome } from "./workspace/resolve-home.ts";
import { explicitRoots, resolveRoots, sourceRoots } from "./workspace/resolve-roots.ts";
import { rootTrust } from "./workspace/trusted-skills.ts";
import { type TrustVerification, verifyTrust } from "./workspace/verify-trust.ts";

/** Where to look and what the host has; every default is the running process's. */
export interface OpenSkillsOptions {
  /** Stands in for the working directory. */
  readonly workspace?: string;
  /** Skillet's own folder; default `SKILLET_HOME`, else `~/.skillet`. */
  readonly home?: string;
  /** The user's home folder. */
  readonly userHome?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Only these folders, as explicit roots. */
  readonly roots?: readonly string[];
  /** Sources of the host's own (memory, a sandbox), searched as explicit roots. */
  readonly sources?: readonly SkillSource[];
  /** Folders that links in the user's own roots may lead to, besides the roots: what was installed as a link. */
  readonly linkedFolders?: readonly string[];
  readonly organisationDirectory?: string;
  /** Default: the skills that ship with Skillet; `false` for none. */
  readonly bundledDirectory?: string | false;
  /** Default: `cache/` in Skillet's home; `false` for none. */
  readonly cacheDirectory?: string | false;
  readonly platform?: NodeJS.Platform;
  /** What the host offers; what it does not name is taken to be there. */
  readonly mcpServers?: readonly string[];
  readonly tools?: readonly string[];
  readonly toolsets?: readonly string[];
  /** The host's own settings, which some skills ask for by dotted path. */
  readonly hostConfig?: Readonly<Record<string, unknown>>;
  /** Judges skills before sessions offer them; without it none is judged, and the record of a session says so. */
  readonly vetter?: SkillVetter;
  /** Ends the opening; later calls take their own. */
  readonly signal?: AbortSignal;
}

/** What every call that waits takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A registry of skills: one snapshot at a time. */
export interface Skills {
  readonly snapshot: Snapshot;
  /** The project that the workspace lies in; absent when explicit roots were given. */
  readonly project?: Project | undefined;
  readonly home: string;
  readonly config: LoadedConfig;
  /** The skills that may be used, by a model or only by the user; the options add the others. */
  list(options?: {
    readonly includeDisabled?: boolean;
    readonly includeUnavailable?: boolean;
  }): readonly Skill[];
  find(name: string): SkillResolution;
  /** Reads a SKILL.md again: its text, and whether it is still what the snapshot saw. */
  readText(skill: Skill, options?: CallOptions): Promise<SkillText>;
  /** Digests every file of a skill. */
  resources(skill: Skill, options?: CallOptions): Promise<ResourceIndex>;
  /** The tools that a skill declares, and what is wrong with them; whether one may run is for a session to say. */
  toolsets(skill: Skill, options?: CallOptions): Promise<readonly DeclaredToolset[]>;
  /** Reads every file of a project's skill: whether it is what was trusted at the last reload, not SKILL.md alone. */
  verifyTrust(skill: Skill, options?: CallOptions): Promise<TrustVerification>;
  /** The status of a skill's files, without reading them; undefined where its source cannot tell. */
  stamp(skill: Skill): TreeStamp | undefined;
  /** Everything that a skill holds, for a scan; what cannot be had is told in its place. */
  content(skill: Skill, options: ContentBounds & CallOptions): Promise<SkillContent>;
  /** Opens a session over the snapshot of now: what a model is told, what it may load and do, and the record. */
  session(options?: SessionOptions): Promise<Session>;
  /** Goes on with a recorded run, after every skill that it had loaded was verified. */
  resume(runFolder: string, options?: ResumeOptions): Promise<ResumedSession>;
  /** Searches again, with the config as it is now. */
  reload(options?: CallOptions): Promise<SkillsChange>;
  /** Calls back with the difference after skills, configuration or trust settle; a burst is one call. */
  watch(listener: (change: SkillsChange) => void, options?: WatchOptions): SkillsWatch;
}

/**
 * Reads the config, finds the roots and takes one snapshot of the skills in them.
 *
 * @example
 * const skills = await openSkills({ workspace: process.cwd() });
 * for (const { name, manifest } of skills.list()) console.log(name, manifest.description);
 */
export async function openSkills(options: OpenSkillsOptions = {}): Promise<Skills> {
  const registry = new Registry(resolveOptions(options));
  await registry.reload(options);
  return registry;
}

type Resolved = ReturnType<typeof resolveOptions>;

function resolveOptions(options: OpenSkillsOptions) {
  const environment = options.environment ?? process.env;
  const { userHome, home } = resolveHome(environment, options);
  const platform = options.platform ?? process.platform;
  return {
    ...options,
    environment,
    userHome,
    home,
    platform,
    workspace: resolve(options.workspace ?? process.cwd()),
    organisationDirectory: options.organisationDirectory ?? organisationDirectory(platform, environment),
    cacheDirectory:
      options.cacheDirectory === false ? undefined : (options.cacheDirectory ?? join(home, "cache")),
  };
}

class Registry implements Skills {
  readonly home: string;
  readonly #options: Resolved;
  #snapshot: Snapshot = { version: "sha256:", roots: [], skills: [], diagnostics: [] };
  #config: LoadedConfig | undefined;
  #project: Project | undefined;
  #roots: ReadonlyMap<string, SkillRoot> = new Map();
  #skillPaths: ReadonlySet<string> | undefined;
  #reloading: Promise<unknown> = Promise.resolve();

  constructor(options: Resolved) {
    this.#options = options;
    this.home = options.home;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  get project(): Project | undefined {
    return this.#project;
  }

  get config(): LoadedConfig {
    if (this.#config === undefined)
      throw new SkilletError("not-loaded", "The registry has not been loaded; call reload().");
    return this.#config;
  }

  list(
    options: { readonly includeDisabled?: boolean; readonly includeUnavailable?: boolean } = {},
  ): readonly Skill[] {
    return this.#snapshot.skills.filter(
      ({ state }) =>
        state === "enabled" ||
        (state === "disabled" && options.includeDisabled === true) ||
        (state === "unavailable" && options.includeUnavailable === true),
    );
  }

  find(name: string): SkillResolution {
    return findSkill(this.#snapshot, name);
  }

  readText(skill: Skill, options: CallOptions = {}): Promise<SkillText> {
    return readSkillText(this.#rootOf(skill).source, skill, options);
  }

  resources(skill: Skill, options: CallOptions = {}): Promise<ResourceIndex> {
    const { source } = this.#rootOf(skill);
    if (skill.kind === "command") return indexCommand(source, skill.source, options);
    return indexResources(source, skill.source, { ...options, isSkill: (path) => this.#isSkill(path) });
  }

  async toolsets(skill: Skill, options: CallOptions = {}): Promise<readonly DeclaredToolset[]> {
    if (skill.manifest.toolsets.length === 0) return [];
    const index = await this.resources(skill, options);
    return readSkillToolsets(skill, skill.manifest, index, this.#sessionParts().reader);
  }

  verifyTrust(skill: Skill, options: CallOptions = {}): Promise<TrustVerification> {
    return verifyTrust(skill, this.#rootOf(skill).trust, () => this.resources(skill, options));
  }

  stamp(skill: Skill): TreeStamp | undefined {
    return stampSkill(this.#rootOf(skill).source, skill);
  }

  content(skill: Skill, options: ContentBounds & CallOptions): Promise<SkillContent> {
    return this.#sessionParts().reader.readContent(skill, options);
  }

  session(options: SessionOptions = {}): Promise<Session> {
    return openSession(this.#sessionParts(), this.#inProject(options));
  }

  resume(runFolder: string, options: ResumeOptions = {}): Promise<ResumedSession> {
    return resumeSession(runFolder, this.#sessionParts(), { ...this.#inProject(options), present: this });
  }

  // One at a time: two reloads at once would race for which snapshot is the newer one.
  reload(options: CallOptions = {}): Promise<SkillsChange> {
    const next = this.#reloading.then(
      () => this.#load(options),
      () => this.#load(options),
    );
    this.#reloading = next;
    return next;
  }

  watch(listener: (change: SkillsChange) => void, options: WatchOptions = {}): SkillsWatch {
    return watchSkills(this, listener, options);
  }

  get settingsFiles(): readonly string[] {
    const { home, organisationDirectory } = this.#options;
    const own = [configPath(home), trustPath(home), configPath(organisationDirectory)];
    return this.#project === undefined ? own : [...own, projectConfigPath(this.#project.root)];
  }

  #sessionParts(): SessionParts {
    const { config, layers } = this.config;
    return {
      snapshot: this.#snapshot,
      config,
      layers,
      userHome: this.#options.userHome,
      workspace: canonicalPath(this.#options.workspace),
      vetter: this.#options.vetter,
      reader: createSkillReader({
        sourceOf: (skill) => this.#rootOf(skill).source,
        indexResources: (skill) => this.resources(skill),
        isSkill: (path) => this.#isSkill(path),
        verifyTrust: (skill, index) => verifyTrust(skill, this.#rootOf(skill).trust, async () => index),
      }),
    };
  }

  #inProject<Options extends SessionOptions | ResumeOptions>(options: Options): Options {
    return { projectDirectory: this.#project?.root ?? this.#options.workspace, ...options };
  }

  async #load({ signal }: CallOptions): Promise<SkillsChange> {
    const options = this.#options;
    const isExplicit = options.roots !== undefined;
    // Explicit roots need neither a project nor trust.
    const place = isExplicit ? undefined : locateWorkspace(options);
    const project = place?.project;
    const config = this.#readConfig(project);
    const roots = this.#resolveRoots(config, place);
    const snapshot = await discoverSkills({
      roots,
      ...(options.cacheDirectory === undefined ? {} : { cacheDirectory: options.cacheDirectory }),
      availability: createAvailability(options),
      ...(config.layers.length === 0 ? {} : { enablement: createEnablement(config.layers) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const diff = diffSnapshots(this.#snapshot, snapshot);
    this.#snapshot = snapshot;
    this.#config = config;
    this.#project = project;
    // A root that was refused may lead to where another one is.
    const searched = roots.filter(({ refusal }) => refusal === undefined);
    this.#roots = new Map(searched.map((root) => [root.source.id, root]));
    this.#skillPaths = undefined;
    return { snapshot, diff };
  }

  #readConfig(project: Project | undefined): LoadedConfig {
    const { home, userHome, organisationDirectory, environment } = this.#options;
    return loadConfig({
      home,
      userHome,
      organisationDirectory,
      ...(project === undefined ? {} : { workspaceRoot: project.root }),
      projectTrusted: project?.trusted === true,
      environment,
    });
  }

  #resolveRoots({ config, layers }: LoadedConfig, place: LocatedWorkspace | undefined): SkillRoot[] {
    const options = this.#options;
    const { limits, pluginsDir, userDir, precedence, directories } = config.skills;
    const own = sourceRoots(options.sources ?? []);
    if (place === undefined) return [...own, ...explicitRoots(options.roots ?? [], limits)];
    const bundled = options.bundledDirectory ?? bundledDirectory();
    const roots = resolveRoots({
      userHome: options.userHome,
      organisationDirectory: options.organisationDirectory,
      bundledDirectory: bundled === false ? undefined : bundled,
      pluginsDirectory: pluginsDir,
      userDirectory: userDir,
      projectFolders: place.folders,
      projectRoot: place.trust.root,
      projectTrust: rootTrust(place.trust),
      extra: directories,
      linkedFolders: options.linkedFolders ?? [],
      precedence,
      // What a project lowers holds for its own roots: it must not cut the user's short.
      limits: setsLimits(layers) ? this.#readConfig(undefined).config.skills.limits : limits,
      projectLimits: limits,
    });
    return [...own, ...roots];
  }

  #rootOf(skill: Skill): SkillRoot {
    const root = this.#roots.get(skill.source.id);
    if (root !== undefined) return root;
    throw new SkilletError(
      "skill-not-here",
      `${skill.qualifiedName} is not a skill of this registry; take it from snapshot.skills.`,
      {
        data: { skill: skill.qualifiedName, source: skill.source.id },
      },
    );
  }

  #isSkill(path: string): boolean {
    this.#skillPaths ??= new Set(this.#snapshot.skills.flatMap((skill) => [skill.path, ...skill.alsoAt]));
    return this.#skillPaths.has(path);
  }
}

function setsLimits(layers: LoadedConfig["layers"]): boolean {
  return layers.some(({ kind, values }) => kind === "project" && values.skills?.limits !== undefined);
}
