import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { hostFileOf, type Skill } from "../registry/skill.ts";
import { agentPluginFolders } from "./agent-plugins.ts";
import { createSwitchedOff } from "./agent-switches.ts";
import type { Agent, AgentPlaces } from "./agents.ts";

export interface AgentsReadingOptions {
  /** Those to tell of; `detectAgents` says which are in use. */
  readonly agents: readonly Agent[];
  readonly places: AgentPlaces;
  readonly projectRoot?: string | undefined;
}

type Placed = Pick<Skill, "kind" | "path" | "hostDirectory" | "source" | "alsoAt">;

type Named = Pick<Skill, "name" | "directoryName" | "plugin">;
type Reader = { readonly agent: Agent; readonly files: readonly string[] };

/** Which of the agents read a skill from where it lies, or from a copy or link of it; the folders are resolved once. */
export function createAgentsReading(options: AgentsReadingOptions): (skill: Placed) => readonly Agent[] {
  const readersOf = createReadersOf(options);
  return (skill) => readersOf(skill).map(({ agent }) => agent);
}

/** Agents that have a skill in a folder of theirs. */
export interface AgentsLoading {
  readonly loading: readonly Agent[];
  /** Of those that load it: it is only linked for them, and nothing says that they follow links. */
  readonly unsure: readonly Agent[];
  /** Their own settings turn it off. */
  readonly switchedOff: readonly Agent[];
}

/** The same, apart from each other. */
export function createAgentsLoading(options: AgentsReadingOptions): (skill: Placed & Named) => AgentsLoading {
  const readersOf = createReadersOf(options);
  const isSwitchedOff = createSwitchedOff(options.places, options.projectRoot);
  return (skill) => {
    const names = [...new Set([skill.name, skill.directoryName])];
    const readers = readersOf(skill);
    const off = readers.filter(
      ({ agent: { id }, files }) =>
        // Plugins have a switch of their own, and what they bring is not found then.
        !(id === "claude-code" && (skill.plugin !== undefined || skill.kind === "command")) &&
        files.every((file) => isSwitchedOff(id, { names, file })),
    );
    const loading = readers.filter((reader) => !off.includes(reader));
    const unsure = loading.filter(
      ({ agent, files }) => skill.kind === "skill" && agent.followsLinks !== true && files.every(isLinked),
    );
    const [all, some, none] = [loading, unsure, off].map((group) => group.map(({ agent }) => agent));
    return { loading: all ?? [], unsure: some ?? [], switchedOff: none ?? [] };
  };
}

function isLinked(file: string): boolean {
  return lstatSync(dirname(file), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function createReadersOf(options: AgentsReadingOptions): (skill: Placed) => readonly Reader[] {
  const { agents, places, projectRoot } = options;
  const plugins = agentPluginFolders(places, projectRoot);
  const folders = agents.map((agent) => {
    const own = [
      ...agent.userReads(places),
      ...(projectRoot === undefined ? [] : agent.projectReads.map((folder) => join(projectRoot, folder))),
      ...plugins.filter((plugin) => plugin.agent === agent.id).flatMap(({ skills }) => skills),
    ];
    // A whole folder may be a link, and its skills are known by the first name it was found under.
    return { agent, folders: [...new Set([...own, ...own.map(canonicalPath)])] };
  });
  return (skill) => {
    const files = [hostFileOf(skill), ...skill.alsoAt];
    if (skill.kind === "command")
      return agents.filter(({ id }) => id === "claude-code").map((agent) => ({ agent, files }));
    return folders.flatMap(({ agent, folders: read }) => {
      const own = files.filter(
        (file) =>
          read.some((folder) => isInside(file, folder)) || isNested(file, agent.projectReads, projectRoot),
      );
      return own.length > 0 ? [{ agent, files: own }] : [];
    });
  };
}

// Agents climb from the working directory to the project's root. `skills` alone is at the root: it ends other folders' names.
function isNested(file: string, reads: readonly string[], projectRoot: string | undefined): boolean {
  if (projectRoot === undefined || !isInside(file, projectRoot)) return false;
  return reads.some((folder) => folder.startsWith(".") && file.includes(`/${folder}/`));
}
