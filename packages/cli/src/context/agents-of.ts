import { resolveHome, type Skill, type Skills } from "@skillet/core";
import {
  AGENTS,
  type Agent,
  type AgentPlaces,
  createAgentsReading,
  detectAgents,
  suggestNames,
} from "@skillet/core/internal";
import { loadInstalling } from "../load-beside.ts";
import { CliError, didYouMean } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";

interface AgentsOf {
  /** Those that were asked for, whether they are in use here or not. */
  readonly agents?: readonly Agent[];
  /** Those that read a skill, among the ones in use here and the ones that were asked for. */
  agentsOf(skill: Skill): readonly Agent[];
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
  const reading = createAgentsReading({ agents, places, projectRoot: project?.root });
  const agentsOf = (skill: Skill): readonly Agent[] =>
    skill.state !== "disabled"
      ? reading(skill)
      : reading(skill).filter(({ id }) => !isOff(id, skill, places));
  return { agentsOf, ...(ids !== undefined && { agents: [...new Set(asked)] }) };
}

// What cannot be told counts as read: a person who is told that an agent loads a skill can look.
function isOff(id: string, { name, directoryName, path }: Skill, places: AgentPlaces): boolean {
  const { AGENT_SWITCHES, readSettings, Uncertain } = loadInstalling();
  const own = AGENT_SWITCHES.get(id);
  try {
    const text = own && readSettings(own.file(places));
    return (
      text !== undefined &&
      own?.edit(text, { names: [...new Set([name, directoryName])], file: path }, true) === undefined
    );
  } catch (error) {
    if (error instanceof Uncertain) return false;
    throw error;
  }
}

function agentCalled(id: string): Agent {
  const agent = AGENTS.find((one) => one.id === id);
  if (agent !== undefined) return agent;
  const ids = AGENTS.map((one) => one.id);
  throw new CliError("agent-unknown", `There is no agent called ${id}.`, {
    hints: didYouMean(suggestNames(id, ids), `Known are ${ids.join(", ")}.`),
    details: { agent: id },
  });
}
