import { join, resolve } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { configPath, projectConfigPath } from "./config/config.ts";
import type { LoadedConfig } from "./config/load-config.ts";
import { organisationDirectory } from "./config/load-config.ts";
import { findSkill, type SkillResolution } from "./registry/find-skill.ts";
import type { Skill } from "./registry/skill.ts";
import type { Snapshot } from "./registry/snapshot.ts";
import { diffSnapshots } from "./registry/snapshot-diff.ts";
import {
  type SkillsChange,
  type SkillsWatch,
  type WatchOptions,
  watchSkills,
} from "./registry/watch-skills.ts";
import type { SelectedSkill, SelectOptions, Selector } from "./selection.ts";
import { openSession } from "./session/open-session.ts";
import { type ResumedSession, type ResumeOptions, resumeSession } from "./session/resume/resume-session.ts";
import type { Session, SessionOptions } from "./session/session.ts";
import type { SessionParts } from "./session/state.ts";
import type { SkillSource } from "./source/skill-source.ts";
import { trustPath } from "./trust/trust-store.ts";
import type { SkillVetter } from "./vetting/skill-vetter.ts";
import { type LoadedWorkspace, loadWorkspace } from "./workspace/load-workspace.ts";
import { type Project, resolveHome } from "./workspace/locate-workspace.ts";
import {
  openSelection,
  type Selection,
  type SelectionOptions,
  type SelectorRequest,
} from "./workspace/open-selection.ts";
import { RegistryReader, rootIn } from "./workspace/registry-reader.ts";
import type { CallOptions, Skills } from "./workspace/skills.ts";

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
  /** Capabilities of the host; those it does not mention are assumed present. */
  readonly mcpServers?: readonly string[];
  readonly tools?: readonly string[];
  readonly toolsets?: readonly string[];
  /** The host's own settings, which some skills ask for by dotted path. */
  readonly hostConfig?: Readonly<Record<string, unknown>>;
  /** Judges skills before sessions offer them; without it none is judged, and the record of a session says so. */
  readonly vetter?: SkillVetter;
  /** Facts that the host knows about its skills for selection: authors' examples, vectors. */
  readonly selection?: SelectionOptions;
  /** Ends the opening; later calls take their own. */
  readonly signal?: AbortSignal;
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
  readonly reader = new RegistryReader(() => this.#loaded ?? NOTHING_LOADED);
  readonly #options: Resolved;
  #loaded: LoadedWorkspace | undefined;
  #selection: Selection | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #waiting: Promise<SkillsChange> | undefined;

  constructor(options: Resolved) {
    this.#options = options;
    this.home = options.home;
  }

  get snapshot(): Snapshot {
    return (this.#loaded ?? NOTHING_LOADED).snapshot;
  }

  get project(): Project | undefined {
    return this.#loaded?.project;
  }

  get config(): LoadedConfig {
    if (this.#loaded === undefined)
      throw new SkilletError("not-loaded", "The registry has not been loaded; call reload().");
    return this.#loaded.config;
  }

  list(
    options: { readonly includeDisabled?: boolean; readonly includeUnavailable?: boolean } = {},
  ): readonly Skill[] {
    return this.snapshot.skills.filter(
      ({ state }) =>
        state === "enabled" ||
        (state === "disabled" && options.includeDisabled === true) ||
        (state === "unavailable" && options.includeUnavailable === true),
    );
  }

  find(name: string): SkillResolution {
    return findSkill(this.snapshot, name);
  }

  selector(options: SelectorRequest = {}): Promise<Selector> {
    return this.#select().selector(options);
  }

  async select(message: string, options: SelectOptions = {}): Promise<readonly SelectedSkill[]> {
    return (await this.selector()).select(message, options);
  }

  session(options: SessionOptions = {}): Promise<Session> {
    return openSession(this.#sessionParts(), this.#inProject(options));
  }

  resume(runFolder: string, options: ResumeOptions = {}): Promise<ResumedSession> {
    return resumeSession(runFolder, this.#sessionParts(), this.#inProject(options));
  }

  // One at a time: two reloads at once would race for which snapshot is the newer one. One that has not begun yet serves
  // everyone who asks for it, such as all the sessions that are refreshed after a change.
  reload(options: CallOptions = {}): Promise<SkillsChange> {
    if (this.#waiting !== undefined && options.signal === undefined) return this.#waiting;
    const begin = (): Promise<SkillsChange> => {
      if (this.#waiting === next) this.#waiting = undefined;
      return this.#load(options);
    };
    const next: Promise<SkillsChange> = this.#reloading.then(begin, begin);
    this.#reloading = next;
    if (options.signal === undefined) this.#waiting = next;
    return next;
  }

  watch(listener: (change: SkillsChange) => void, options: WatchOptions = {}): SkillsWatch {
    return watchSkills(this, listener, options);
  }

  get settingsFiles(): readonly string[] {
    const { home, organisationDirectory } = this.#options;
    const own = [configPath(home), trustPath(home), configPath(organisationDirectory)];
    return this.project === undefined ? own : [...own, projectConfigPath(this.project.root)];
  }

  // Bound to the snapshot and the roots of now: a session goes on with those when this registry reloads.
  #select(): Selection {
    const { snapshot, roots } = this.#loaded ?? NOTHING_LOADED;
    this.#selection ??= openSelection({
      snapshot,
      sourceOf: (skill) => rootIn(roots, skill).source,
      cacheDirectory: this.#options.cacheDirectory,
      home: this.home,
      options: this.#options.selection ?? {},
    });
    return this.#selection;
  }

  #sessionParts(): SessionParts {
    const { config, layers } = this.config;
    return {
      snapshot: this.snapshot,
      config,
      layers,
      userHome: this.#options.userHome,
      workspace: canonicalPath(this.#options.workspace),
      vetter: this.#options.vetter,
      openSelector: this.#select().sessionSelector,
      reload: async () => {
        await this.reload();
        return this.#sessionParts();
      },
      reader: this.reader,
    };
  }

  #inProject<Options extends SessionOptions | ResumeOptions>(options: Options): Options {
    return { projectDirectory: this.project?.root ?? this.#options.workspace, ...options };
  }

  async #load(options: CallOptions): Promise<SkillsChange> {
    const before = this.snapshot;
    const loaded = await loadWorkspace(this.#options, options);
    this.#loaded = loaded;
    this.#selection = undefined;
    const { snapshot } = loaded;
    return { snapshot, diff: diffSnapshots(before, snapshot) };
  }
}

const NOTHING_LOADED: Pick<LoadedWorkspace, "snapshot" | "roots"> = {
  snapshot: { version: "sha256:", roots: [], skills: [], diagnostics: [] },
  roots: new Map(),
};
