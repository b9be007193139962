import { lstatSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { hostFileOf, type Skill } from "../registry/skill.ts";
import { readAgentPlugins } from "./agent-plugins.ts";
import { createSwitchedOff } from "./agent-switches.ts";
import { type Agent, type AgentPlaces, agentHome } from "./agents.ts";

export interface AgentsReadingOptions {
  /** The agents to report on; `detectAgents` says which are in use. */
  readonly agents: readonly Agent[];
  readonly places: AgentPlaces;
  readonly projectRoot?: string | undefined;
}

type Placed = Pick<Skill, "kind" | "path" | "hostDirectory" | "source" | "alsoAt"> &
  Partial<Pick<Skill, "diagnostics">>;

type Named = Pick<Skill, "name" | "directoryName" | "plugin">;
interface Reader {
  readonly agent: Agent;
  readonly files: readonly string[];
  readonly refusal?: string;
  /** It came with a plugin that the agent's settings turn off. */
  readonly off?: boolean;
}

/**
 * Tells which agents have a skill where it is, or through a copy or a link; folders are resolved once. Includes agents
 * whose loader should skip the skill: a block must hold even if they load it after all.
 */
export function createAgentsHolding(options: AgentsReadingOptions): (skill: Placed) => readonly Agent[] {
  const readersOf = createReadersOf(options);
  return (skill) => readersOf(skill).flatMap(({ agent, off }) => (off ? [] : [agent]));
}

/** The agents that have a skill in one of their folders, grouped by what they do with it. */
export interface AgentsLoading {
  readonly loading: readonly Agent[];
  /** A subset of `loading` that has the skill only as a link, and may not follow links. */
  readonly unsure: readonly Agent[];
  /** Their own settings turn it off. */
  readonly switchedOff: readonly Agent[];
  /** Their loaders skip it. */
  readonly refusedBy: readonly { readonly agent: Agent; readonly why: string }[];
}

/** Sorts the agents that have a skill into these groups; folders are resolved once. */
export function createAgentsLoading(options: AgentsReadingOptions): (skill: Placed & Named) => AgentsLoading {
  const readersOf = createReadersOf(options);
  const isSwitchedOff = createSwitchedOff(options.places, options.projectRoot);
  return (skill) => {
    const names = [...new Set([skill.name, skill.directoryName])];
    const found = readersOf(skill);
    const readers = found.filter(({ refusal }) => refusal === undefined);
    const refusedBy = found.flatMap(({ agent, refusal: why }) => (why === undefined ? [] : [{ agent, why }]));
    const off = readers.filter(
      ({ agent: { id }, files, off: isPluginOff }) =>
        isPluginOff ||
        // Plugins have a switch of their own.
        (!(id === "claude-code" && (skill.plugin !== undefined || skill.kind === "command")) &&
          files.every((file) => isSwitchedOff(id, { names, file }))),
    );
    const loading = readers.filter((reader) => !off.includes(reader));
    const isLinked = (file: string): boolean =>
      lstatSync(dirname(file), { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const unsure = loading.filter(
      ({ agent, files }) => skill.kind === "skill" && agent.followsLinks !== true && files.every(isLinked),
    );
    const [all, some, none] = [loading, unsure, off].map((group) => group.map(({ agent }) => agent));
    return { loading: all ?? [], unsure: some ?? [], switchedOff: none ?? [], refusedBy };
  };
}

function createReadersOf(options: AgentsReadingOptions): (skill: Placed) => readonly Reader[] {
  const { agents, places, projectRoot } = options;
  const plugins = readAgentPlugins(places, projectRoot).folders;
  const offFolders = plugins.filter(({ off }) => off === true).map(({ path }) => canonicalPath(path));
  const isOff = (file: string): boolean =>
    offFolders.length > 0 && offFolders.some((folder) => isInside(canonicalPath(file), folder));
  const folders = agents.map((agent) => {
    const own = [
      ...agent.userReads(places),
      ...(projectRoot === undefined ? [] : agent.projectReads.map((folder) => join(projectRoot, folder))),
      ...plugins.filter((plugin) => plugin.agent === agent.id).flatMap(({ skills }) => skills),
    ];
    // The whole folder may be a link, and skills are known by the first path they were found at.
    return { agent, folders: [...new Set([...own, ...own.map(canonicalPath)])] };
  });
  const claude = agentHome("CLAUDE_CONFIG_DIR", places);
  const commands = [join(claude, "commands"), ...plugins.map(({ path }) => path)];
  const commandFolders = commands.flatMap((folder) => [folder, canonicalPath(folder)]);
  return (skill) => {
    const files = [hostFileOf(skill), ...skill.alsoAt];
    const isCommand = skill.kind === "command";
    return folders.flatMap(({ agent, folders: read }): readonly Reader[] => {
      if (isCommand && agent.id !== "claude-code") return [];
      const inProject = [...agent.projectReads, ...(isCommand ? [".claude/commands"] : [])];
      const below = (file: string): readonly string[] => [
        // Those of a plugin that lies among its skills, too.
        ...[...read, ...(isCommand ? commandFolders : [])].filter((folder) => isInside(file, folder)),
        ...nestedFolders(file, inProject, projectRoot),
      ];
      const own = files.filter((file) => below(file).length > 0);
      if (own.length === 0) return [];
      const refusals = own.map((file) => {
        const between = below(file).map((folder) => relative(folder, dirname(file)));
        const depth = Math.min(...between.map((path) => path.split("/").filter(Boolean).length));
        return isCommand ? undefined : loaderRefusal(agent, depth, skill.diagnostics);
      });
      const near = own.filter((_, index) => refusals[index] === undefined);
      const [refusal] = refusals;
      if (near.length === 0 && refusal !== undefined) return [{ agent, files: own, refusal }];
      return [{ agent, files: near, off: near.every(isOff) }];
    });
  };
}

/** Why an agent skips a skill this deep below a folder that it reads; undefined if it loads the skill. */
export function loaderRefusal(
  { loader }: Pick<Agent, "loader">,
  depth: number,
  diagnostics: readonly Pick<Diagnostic, "code">[] = [],
): string | undefined {
  const fault = diagnostics.find(({ code }) => loader?.refuses.includes(code))?.code;
  if (fault !== undefined) return FAULTS[fault] ?? fault;
  return depth > (loader?.depth ?? depth) ? "it is nested too deep" : undefined;
}

const FAULTS: Readonly<Record<string, string>> = {
  "missing-frontmatter": "it has no header",
  "unclosed-frontmatter": "its header is not closed",
  "missing-name": "its header has no name",
  "missing-description": "its header has no description",
};

// Agents climb up to the project root. Plain `skills` counts only there: other folder names end in it.
function nestedFolders(
  file: string,
  reads: readonly string[],
  projectRoot: string | undefined,
): readonly string[] {
  if (projectRoot === undefined || !isInside(file, projectRoot)) return [];
  return reads.flatMap((folder) => {
    const at = folder.startsWith(".") ? file.lastIndexOf(`/${folder}/`) : -1;
    return at < 0 ? [] : [file.slice(0, at + 1 + folder.length)];
  });
}
