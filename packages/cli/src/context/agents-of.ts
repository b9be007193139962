import { resolveHome, type Skill, type Skills } from "@skillet/core";
import { type Agent, createAgentsLoading, detectAgents } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { loadInstalling } from "../load-beside.ts";
import type { Readers } from "../ui/skill-state.ts";
import type { CommandContext } from "./command-context.ts";

export interface AgentsOf {
  /** The agents that were asked for, whether they are in use here or not. */
  readonly agents?: readonly Agent[];
  /** Which of the agents in use and the requested ones load a skill, and what prevents the others. */
  readersOf(skill: Skill): Readers;
}

/** Returns the error for the first unknown agent, before an install finds it; the schema reports others. */
export function unknownAgent(ids: unknown): SkilletError | undefined {
  try {
    for (const id of Array.isArray(ids) ? ids : [])
      if (typeof id === "string" && id !== "none") loadInstalling().agentOf(id);
    return undefined;
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code === "agent-unknown") return error;
    throw error;
  }
}

/** Finds which agents on this machine read a skill; `all` means every agent in use. */
export function openAgentsOf(
  { environment }: Pick<CommandContext, "environment">,
  { project, snapshot }: Partial<Pick<Skills, "project" | "snapshot">>,
  ids?: readonly string[] | undefined,
): AgentsOf {
  const places = { userHome: resolveHome(environment).userHome, environment };
  const inUse = detectAgents(places);
  const asked = ids?.flatMap((id) => (id === "all" ? inUse : [loadInstalling().agentOf(id)])) ?? [];
  const agents = [...new Set([...inUse, ...asked])];
  const tell = createAgentsLoading({ agents, places, projectRoot: project?.root });
  const byName = new Map<string, Skill[]>();
  for (const skill of snapshot?.skills ?? [])
    byName.set(skill.name, [...(byName.get(skill.name) ?? []), skill]);
  const readersOf = (skill: Skill): Readers => {
    const readers = tell(skill);
    const namesakes = (byName.get(skill.name) ?? []).filter((other) => other !== skill);
    const others = new Set(namesakes.flatMap((other) => tell(other).loading));
    return { ...readers, sharing: readers.loading.filter((agent) => others.has(agent)) };
  };
  return {
    readersOf,
    ...(ids !== undefined && { agents: [...new Set(asked)] }),
  };
}
