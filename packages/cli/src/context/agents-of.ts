import { resolveHome, type Skill, type Skills } from "@skillet/core";
import { AGENTS, type Agent, createAgentsLoading, detectAgents, suggestNames } from "@skillet/core/internal";
import { CliError, didYouMean } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";

export interface AgentsOf {
  /** Those that were asked for, whether they are in use here or not. */
  readonly agents?: readonly Agent[];
  /** Those that load a skill, among the ones in use here and the ones that were asked for. */
  agentsOf(skill: Skill): readonly Agent[];
  /** Those that would, if their own settings did not turn it off. */
  switchedOff(skill: Skill): readonly Agent[];
}

/** Which agents of this machine read a skill; `all` asks for every one in use. */
export function openAgentsOf(
  { environment }: Pick<CommandContext, "environment">,
  { project }: Pick<Skills, "project">,
  ids?: readonly string[] | undefined,
): AgentsOf {
  const places = { userHome: resolveHome(environment).userHome, environment };
  const inUse = detectAgents(places);
  const asked = ids?.flatMap((id) => (id === "all" ? inUse : [agentCalled(id)])) ?? [];
  const agents = [...new Set([...inUse, ...asked])];
  const tell = createAgentsLoading({ agents, places, projectRoot: project?.root });
  return {
    agentsOf: (skill) => tell(skill).loading,
    switchedOff: (skill) => tell(skill).switchedOff,
    ...(ids !== undefined && { agents: [...new Set(asked)] }),
  };
}

function agentCalled(id: string): Agent {
  const agent = AGENTS.find((one) => one.id === id);
  if (agent !== undefined) return agent;
  const ids = AGENTS.map((one) => one.id);
  const hints = didYouMean(suggestNames(id, ids), `Known agents: ${ids.join(", ")}.`);
  throw new CliError("agent-unknown", `There is no agent called ${id}.`, { hints, details: { agent: id } });
}
