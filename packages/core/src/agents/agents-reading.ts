import { join } from "node:path";
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

/** The same, apart from each other: those that load it, and those whose own settings turn it off. */
export function createAgentsLoading(
  options: AgentsReadingOptions,
): (skill: Placed & Named) => { readonly loading: readonly Agent[]; readonly switchedOff: readonly Agent[] } {
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
    return {
      loading: readers.filter((reader) => !off.includes(reader)).map(({ agent }) => agent),
      switchedOff: off.map(({ agent }) => agent),
    };
  };
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

/** Which of the agents read a skill; see `createAgentsReading` for many skills. */
export function agentsReading(skill: Placed, options: AgentsReadingOptions): readonly Agent[] {
  return createAgentsReading(options)(skill);
}

// Agents climb from the working directory to the project's root. `skills` alone is at the root: it ends other folders' names.
function isNested(file: string, reads: readonly string[], projectRoot: string | undefined): boolean {
  if (projectRoot === undefined || !isInside(file, projectRoot)) return false;
  return reads.some((folder) => folder.startsWith(".") && file.includes(`/${folder}/`));
}
