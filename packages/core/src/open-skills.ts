import { join, resolve } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { type CallOptions, unlessAborted } from "./ask.ts";
import { configPath, type McpServerConfig, projectConfigPath } from "./config/config.ts";
import { type ConfigFlags, organisationDirectory } from "./config/load-config.ts";
import type { AllowedPlugin } from "./plugin/allowed-plugin.ts";
import { listServers } from "./plugin/mcp-servers.ts";
import { findSkill } from "./registry/find-skill.ts";
import { diffSnapshots } from "./registry/snapshot.ts";
import { type SkillsChange, type SkillsWatch, watchSkills } from "./registry/watch-skills.ts";
import { givenText } from "./session/model-input.ts";
import { openSession } from "./session/open-session.ts";
import type { JournalPlace } from "./session/records/journal.ts";
import type { SessionEvent } from "./session/records/session-events.ts";
import { type ResumeOptions, resumeSession } from "./session/resume/resume-session.ts";
import type { SessionOptions } from "./session/session.ts";
import { rootIn, SourceReader } from "./session/skill-reader.ts";
import type { SessionParts } from "./session/state.ts";
import { warmSnapshot } from "./session/warm-snapshot.ts";
import type { SkillSource } from "./source/skill-source.ts";
import { createToolRoots, type ToolRoots } from "./source/tool-roots.ts";
import { trustPath } from "./trust/trust-store.ts";
import type { SkillVetter } from "./vetting/skill-vetter.ts";
import { type LoadedWorkspace, loadWorkspace } from "./workspace/load-workspace.ts";
import { resolveHome } from "./workspace/locate-workspace.ts";
import { openSelection, type Selection, type SelectionOptions } from "./workspace/open-selection.ts";
import type { Skills } from "./workspace/skills.ts";

/** Where to look and what the host offers; defaults come from the running process. */
export interface OpenSkillsOptions {
  /** Default: the working directory. */
  readonly workspace?: string | undefined;
  /** Skillet's own folder; default `SKILLET_HOME`, else `~/.skillet`. */
  readonly home?: string | undefined;
  readonly userHome?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Only these folders, as explicit roots; relative to the workspace. */
  readonly roots?: readonly string[] | undefined;
  /** The host's own sources (memory, a sandbox), searched as explicit roots. */
  readonly sources?: readonly SkillSource[] | undefined;
  /**
   * Opens the servers of `mcp.servers`, for example with `mcpSource` of `@skillet/mcp/client`; without it
   * they are ignored. Each is opened once, and none if explicit roots are given.
   */
  readonly openServer?: ((label: string, server: McpServerConfig) => SkillSource) | undefined;
  /** Where the agent's tools see this machine's folders: `{ ".": "/workspace" }`; others keep their paths. */
  readonly toolRoot?: ToolRoots | undefined;
  /** Folders whose skills an agent wrote: their origin is `agent-created` instead of `local`. */
  readonly agentFolders?: readonly string[] | undefined;
  /** Further folders that links in the user's own roots may lead to, for skills installed as links. */
  readonly linkedFolders?: readonly string[] | undefined;
  /**
   * Values in the shape of a config file, or `false` for the defaults. Replaces all config files and
   * variables except the organisation's file.
   */
  readonly config?: ConfigFlags | false | undefined;
  /** Default: the platform's location, such as `/etc/skillet`; `false` for none. */
  readonly organisationDirectory?: string | false | undefined;
  /** Default: the skills that ship with Skillet; `false` for none. */
  readonly bundledDirectory?: string | false | undefined;
  /** Default: `cache/` in Skillet's home; `false` for none. */
  readonly cacheDirectory?: string | false | undefined;
  readonly platform?: NodeJS.Platform | undefined;
  /** What the host offers; a list that is left out makes nothing count as missing. */
  readonly mcpServers?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly toolsets?: readonly string[] | undefined;
  /** The host's own settings, which some skills look up by dotted path. */
  readonly hostConfig?: Readonly<Record<string, unknown>> | undefined;
  /** Scans skills before sessions offer them; without it none is scanned, and session records say so. */
  readonly vetter?: SkillVetter | undefined;
  /** Lists plugins whose hooks or servers a user allowed: `hub.plugins` of `@skillet/hub`. Default: none. */
  readonly plugins?: (() => Promise<readonly AllowedPlugin[]>) | undefined;
  /** What the host knows about its skills for selection: authors' examples, vectors. */
  readonly selection?: SelectionOptions | undefined;
  /** Gets everything that sessions record or ask, unless they have a listener of their own. */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
  /** Aborts the opening; later calls take their own signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the config, finds the roots and takes one snapshot of the skills in them.
 *
 * @example
 * const skills = await openSkills({ workspace: process.cwd() });
 * for (const { name, manifest } of skills.list()) console.log(name, manifest.description);
 */
export async function openSkills(options: OpenSkillsOptions = {}): Promise<Skills> {
  const skills = createSkills(resolveOptions(options));
  await skills.reload(options);
  return skills;
}

type Resolved = ReturnType<typeof resolveOptions>;

function resolveOptions(options: OpenSkillsOptions) {
  const workspace = resolve(options.workspace ?? process.cwd());
  const inWorkspace = (folder: string): string => resolve(workspace, folder);
  const environment = options.environment ?? process.env;
  const { userHome, home } = resolveHome(environment, options);
  const platform = options.platform ?? process.platform;
  const servers = new Map<string, SkillSource>();
  return {
    ...options,
    environment,
    userHome,
    home,
    platform,
    workspace,
    // A server's listing is kept with its source across reloads.
    openServer: (label: string, server: McpServerConfig): SkillSource | undefined => {
      const key = JSON.stringify([label, server]);
      const source = servers.get(key) ?? options.openServer?.(label, server);
      if (source !== undefined) servers.set(key, source);
      return source;
    },
    toToolPath: createToolRoots(options.toolRoot ?? {}, workspace),
    // Resolved now: a process may change its working directory before the next reload.
    ...(options.roots && { roots: options.roots.map(inWorkspace) }),
    ...(options.agentFolders && { agentFolders: options.agentFolders.map(inWorkspace) }),
    ...(options.linkedFolders && { linkedFolders: options.linkedFolders.map(inWorkspace) }),
    ...(options.bundledDirectory && { bundledDirectory: inWorkspace(options.bundledDirectory) }),
    organisationDirectory: options.organisationDirectory ?? organisationDirectory(platform, environment),
    cacheDirectory:
      options.cacheDirectory === false
        ? undefined
        : inWorkspace(options.cacheDirectory ?? join(home, "cache")),
  };
}

function createSkills(options: Resolved): Skills {
  const { home, userHome, workspace, vetter, cacheDirectory } = options;
  let loaded: LoadedWorkspace | undefined;
  let selection: Selection | undefined;
  let reloading: Promise<unknown> = Promise.resolve();
  let waiting: Promise<SkillsChange> | undefined;
  const watches = new Set<SkillsWatch>();
  const close = async (): Promise<void> => {
    for (const watch of watches) watch.close();
    watches.clear();
    selection = undefined;
  };
  const present = (): Pick<LoadedWorkspace, "snapshot" | "roots"> => loaded ?? NOTHING_LOADED;
  const reader = new SourceReader(present);

  const load = async (call: CallOptions): Promise<SkillsChange> => {
    const before = present().snapshot;
    loaded = await unlessAborted(loadWorkspace(options, call), call.signal);
    selection = undefined;
    const { snapshot } = loaded;
    return { snapshot, diff: await diffSnapshots(before, snapshot) };
  };
  // Bound to the current snapshot and roots: a session keeps using them after a reload.
  const select = (): Selection => {
    const { snapshot, roots } = present();
    selection ??= openSelection({
      snapshot,
      cacheDirectory,
      home,
      options: options.selection ?? {},
      sourceOf: (skill) => rootIn(roots, skill).source,
    });
    return selection;
  };
  const sessionParts = (): SessionParts => {
    const { config, layers } = skills.config;
    return {
      snapshot: skills.snapshot,
      config,
      layers,
      userHome,
      vetter,
      reader,
      plugins: loaded?.plugins ?? [],
      workspace: canonicalPath(workspace),
      isTrusted: loaded?.isTrusted !== false,
      openSelector: select().sessionSelector,
      reload: async (signal) => {
        await skills.reload({ signal });
        return sessionParts();
      },
    };
  };
  const inTools = (path: string): string => options.toToolPath(path) ?? path;
  const inWorkspace = (records: JournalPlace): JournalPlace =>
    typeof records === "string" ? resolve(workspace, records) : records;
  const inProject = <Options extends SessionOptions | ResumeOptions>(given: Options): Options => ({
    ...given,
    onEvent: given.onEvent ?? options.onEvent,
    // Also replaces a `projectDirectory` that a host passes as undefined.
    projectDirectory: given.projectDirectory ?? inTools(skills.project?.root ?? workspace),
    ...("records" in given && given.records !== undefined && { records: inWorkspace(given.records) }),
  });

  const skills: Skills & Pick<Parameters<typeof watchSkills>[0], "settingsFiles" | "sources"> = {
    home,
    reader,
    sources: options.sources ?? [],
    get snapshot() {
      return present().snapshot;
    },
    get project() {
      return loaded?.project;
    },
    get config() {
      if (loaded !== undefined) return loaded.config;
      throw new SkilletError("not-loaded", "The skills have not been loaded; call reload().");
    },
    get settingsFiles() {
      const { organisationDirectory: organisation, config } = options;
      const { project } = loaded ?? {};
      return [
        trustPath(home),
        ...(organisation === false ? [] : [configPath(organisation)]),
        ...(config === undefined ? [configPath(home)] : []),
        ...(config === undefined && project !== undefined ? [projectConfigPath(project.root)] : []),
      ];
    },
    list: ({ includeDisabled = false, includeUnavailable = false } = {}) =>
      present().snapshot.skills.filter(
        ({ state }) =>
          state === "enabled" ||
          (state === "disabled" && includeDisabled) ||
          (state === "unavailable" && includeUnavailable),
      ),
    find: (name) => findSkill(present().snapshot, givenText(name, "The name of the skill", "a skill's name")),
    mcpServers: ({ environment } = {}) => listServers(loaded?.plugins ?? [], environment),
    selector: (request = {}) => select().selector(request),
    select: async (message, given = {}) => (await skills.selector()).select(message, given),
    session: async (given = {}) =>
      unlessAborted(openSession(sessionParts(), inProject(given)), given.signal, (late) => late.close()),
    resume: async (records, given = {}) => {
      const resumed = resumeSession(inWorkspace(records), sessionParts(), inProject(given));
      return unlessAborted(resumed, given.signal, ({ session }) => session.close());
    },
    // One at a time: parallel reloads would race for the newer snapshot. A reload that has not begun yet
    // serves everyone who asks for one, such as all sessions that are refreshed after a change.
    reload: (call = {}) => {
      if (waiting !== undefined && call.signal === undefined) return waiting;
      const begin = (): Promise<SkillsChange> => {
        if (waiting === next) waiting = undefined;
        return load(call);
      };
      const next: Promise<SkillsChange> = reloading.then(begin, begin);
      reloading = next;
      if (call.signal === undefined) waiting = next;
      return next;
    },
    warm: ({ signal } = {}) => unlessAborted(warmSnapshot(sessionParts(), signal), signal),
    watch: (listener, given = {}) => {
      const watch = watchSkills(skills, listener, given);
      watches.add(watch);
      return watch;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return skills;
}

const NOTHING_LOADED: Pick<LoadedWorkspace, "snapshot" | "roots"> = {
  snapshot: { version: "sha256:", roots: [], skills: [], diagnostics: [] },
  roots: new Map(),
};
