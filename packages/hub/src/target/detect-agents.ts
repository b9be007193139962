import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "@skillet/kit/errors";
import type { Agent, AgentPlaces } from "./agent.ts";
import { AGENTS, configHome } from "./agents.ts";

/** The agents that somebody uses here: those of which a folder exists. */
export function detectAgents(places: AgentPlaces): readonly string[] {
  return AGENTS.filter((agent) => marksOf(agent, places).some(isFolder)).map(({ id }) => id);
}

// `~/.agents` belongs to nobody in particular; those who share it have a folder of their own name besides.
function marksOf(agent: Agent, places: AgentPlaces): readonly string[] {
  if (agent.marks !== undefined) return agent.marks(places);
  const folder = agent.user?.(places);
  if (folder === undefined) return [];
  const isShared = /[\\/]\.?agents[\\/]skills$/.test(folder);
  return isShared
    ? [join(places.userHome, `.${agent.id}`), join(configHome(places), agent.id)]
    : [dirname(folder)];
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return false;
    throw error;
  }
}
