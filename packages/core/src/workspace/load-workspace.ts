import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { diagnostic } from "@skillet/kit/diagnostics";
import type { McpServerConfig } from "../config/config.ts";
import { createEnablement } from "../config/create-enablement.ts";
import { type ConfigFlags, type LoadedConfig, loadConfig } from "../config/load-config.ts";
import type { AllowedPlugin } from "../plugin/allowed-plugin.ts";
import {
  type AvailabilityContext,
  createAvailability,
} from "../registry/availability/create-availability.ts";
import { discover } from "../registry/discover-skills.ts";
import type { SkillRoot } from "../registry/skill-root.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { MemorySource } from "../source/memory-source.ts";
import type { SkillSource } from "../source/skill-source.ts";
import type { ToToolPath } from "../source/tool-roots.ts";
import { readTrust, type TrustStore } from "../trust/trust-store.ts";
import { type LocatedWorkspace, locateWorkspace, type Project, untrustedAround } from "./locate-workspace.ts";
import { explicitRoots, resolveRoots, sourceRoots } from "./resolve-roots.ts";

interface WorkspaceOptions extends AvailabilityContext {
  readonly workspace: string;
  readonly home: string;
  readonly organisationDirectory: string | false;
  readonly config?: ConfigFlags | false | undefined;
  readonly cacheDirectory: string | undefined;
  readonly roots?: readonly string[] | undefined;
  readonly sources?: readonly SkillSource[] | undefined;
  readonly openServer: (label: string, server: McpServerConfig) => SkillSource | undefined;
  readonly toToolPath: ToToolPath;
  readonly agentFolders?: readonly string[] | undefined;
  readonly linkedFolders?: readonly string[] | undefined;
  readonly bundledDirectory?: string | false | undefined;
  readonly plugins?: (() => Promise<readonly AllowedPlugin[]>) | undefined;
}

export interface LoadedWorkspace {
  readonly snapshot: Snapshot;
  readonly config: LoadedConfig;
  /** Absent if explicit roots were given. */
  readonly project: Project | undefined;
  /** The workspace is not in a project, or is in one that the user trusts. */
  readonly isTrusted: boolean;
  readonly roots: ReadonlyMap<string, SkillRoot>;
  readonly plugins: readonly AllowedPlugin[];
}

export async function loadWorkspace(
  options: WorkspaceOptions,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<LoadedWorkspace> {
  const { cacheDirectory } = options;
  // Explicit roots need neither a project nor trust.
  const place = options.roots === undefined ? locateWorkspace(options) : undefined;
  const project = place?.project;
  const config = readConfig(options, project);
  const roots = findRoots(options, config, place);
  const plugins = (await options.plugins?.()) ?? [];
  // Hooks start in the workspace, even if explicit roots need no project.
  const around = plugins.length > 0 ? (place ?? locateWorkspace(options)).project : project;
  const servers = plugins.flatMap(({ mcpServers }) => mcpServers.map(({ name }) => name));
  const { mcpServers } = options;
  const { snapshot, searched } = await discover({
    roots,
    ...(cacheDirectory !== undefined && { cacheDirectory }),
    availability: createAvailability({
      ...options,
      ...(mcpServers && { mcpServers: [...mcpServers, ...servers] }),
    }),
    ...(config.layers.length > 0 && { enablement: createEnablement(config.layers) }),
    signal,
  });
  const byId = new Map(searched.map((root) => [root.source.id, root]));
  return { snapshot, config, project, isTrusted: around?.trusted !== false, roots: byId, plugins };
}

function readConfig(options: WorkspaceOptions, project: Project | undefined): LoadedConfig {
  const { home, userHome, organisationDirectory, environment, config, workspace } = options;
  return loadConfig({
    home,
    userHome,
    organisationDirectory,
    ...(project && { workspaceRoot: project.root }),
    projectTrusted: project?.trusted === true,
    environment,
    given: config === undefined ? undefined : { values: config, from: workspace },
  });
}

function findRoots(
  options: WorkspaceOptions,
  { config, layers }: LoadedConfig,
  place: LocatedWorkspace | undefined,
): readonly SkillRoot[] {
  const { limits } = config.skills;
  const setsLimits = layers.some(({ kind, values }) => kind === "project" && values.skills?.limits);
  const servers = place === undefined ? [] : Object.entries(config.mcp.servers);
  const opened = servers.flatMap(([label, server]) => options.openServer(label, server) ?? []);
  const sources = sourceRoots([...(options.sources ?? []), ...opened]);
  const own = sources.filter(({ source }) => source.remote === undefined);
  // Last, so that a plugin installed under a server's label comes first.
  const remote = sources.filter(({ source }) => source.remote !== undefined);
  if (place === undefined) {
    const isLocked = config.policy.mode === "locked";
    const rules = { ...options, limits, isLocked, linkedFolders: [] };
    return [...own, ...explicitRoots(options.roots ?? [], rules), ...remote];
  }
  const bundled = options.bundledDirectory ?? bundledDirectory();
  const disabled = join(options.home, "disabled");
  let store: TrustStore | undefined;
  const roots = resolveRoots({
    ...options,
    ...config.skills,
    ...place,
    disabledDirectory: existsSync(disabled) ? disabled : undefined,
    bundledDirectory: bundled,
    // Limits that a project lowers apply to its own roots only: they must not cut the user's short.
    limits: setsLimits ? readConfig(options, undefined).config.skills.limits : limits,
    projectLimits: limits,
    untrustedAround: (folder) => {
      store ??= readTrust(options.home);
      return untrustedAround(folder, options, store);
    },
  });
  return [...own, ...roots, ...(bundled === undefined ? [missingBundled()] : []), ...remote];
}

// Next to the built code or, in a checkout, next to the packages.
const PLACES = ["./skills", "../../../../skills"];

function bundledDirectory(): string | undefined {
  // In bundled code it may be any URL, or absent.
  const here: string | undefined = import.meta.url;
  if (!here?.startsWith("file:")) return undefined;
  return PLACES.map((place) => fileURLToPath(new URL(place, here))).find(
    (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

function missingBundled(): SkillRoot {
  const source = new MemorySource({}, { id: "bundled:" });
  const message =
    "The bundled skills are not beside this code, so they were not searched; a bundler leaves them behind.";
  const hint =
    "Copy dist/skills of @skillet/core beside the bundle, or pass `bundledDirectory`; false means none.";
  const refusal = diagnostic("warning", "bundled-skills-missing", "skills", message, hint);
  return { scope: "bundled", origin: "builtin", source, path: "skills", trust: { kind: "trusted" }, refusal };
}
