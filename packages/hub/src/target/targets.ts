import { isAbsolute, join, relative } from "node:path";
import { AGENTS, type Agent, type AgentPlaces, suggestNames } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { listFirst } from "@skillet/kit/text";
import { type HubScope, scopeRoot } from "../hub-limits.ts";
import type { LockedTarget } from "../lock/lock-entry.ts";

interface FolderRequest extends AgentPlaces {
  readonly scope: HubScope;
  readonly agents: readonly string[];
}

interface TargetRequest extends FolderRequest {
  readonly name: string;
  readonly how: "link" | "copy";
}

interface FilledFolder {
  readonly folder: string;
  /** Absent for Skillet's own copy. */
  readonly agent?: Agent;
  readonly readers: Agent[];
}

/**
 * The folders to fill so that each agent reads one of them, Skillet's own first. With two links, an agent
 * that reads both folders would see the skill twice.
 */
export function foldersFor(request: FolderRequest): readonly FilledFolder[] {
  const { scope } = request;
  const isUser = scope.kind === "user";
  const own = isUser ? scope.pluginsDirectory : join(scope.root, ".agents/skills");
  const folders: FilledFolder[] = [{ folder: own, readers: [] }];
  const wanted = new Set(request.agents.map(agentOf));
  // Agents with the fewest choices first.
  const agents = AGENTS.filter((agent) => wanted.has(agent)).map((agent) => ({
    agent,
    reads: readsOf(agent, request),
  }));
  for (const { agent, reads } of agents.toSorted((left, right) => left.reads.length - right.reads.length)) {
    const shared = folders.find(({ folder }) => reads.includes(folder));
    if (shared === undefined) folders.push({ folder: agentFolder(agent, request), agent, readers: [agent] });
    else shared.readers.push(agent);
  }
  return folders;
}

/** Every folder of a scope from which an agent reads skills. */
export function readsOf(
  agent: Agent,
  { scope, ...places }: Omit<FolderRequest, "agents">,
): readonly string[] {
  if (scope.kind === "user") return agent.userReads(places);
  return agent.projectReads.map((folder) => join(scope.root, folder));
}

/** The targets of a skill: Skillet's own copy first, then the agents' folders, without repeats. */
export function targetsFor(request: TargetRequest): readonly LockedTarget[] {
  const { scope, name, how } = request;
  return foldersFor(request).map(({ folder, agent }) => {
    const path = pathFrom(scopeRoot(scope), join(folder, name));
    if (agent === undefined) return { path, how: "copy" };
    return { path, how: agent.followsLinks === false ? "copy" : how, agent: agent.id };
  });
}

const MAX_NAMED = 8;
const MAX_NEAR = 3;

/** Finds an agent by its id, or by a unique part of it, for example `gemini` or `copilot`. */
export function agentOf(id: string): Agent {
  const parts = AGENTS.filter((one) => one.id.startsWith(`${id}-`) || one.id.endsWith(`-${id}`));
  const agent = AGENTS.find((one) => one.id === id) ?? (parts.length === 1 ? parts[0] : undefined);
  if (agent !== undefined) return agent;
  const ids = AGENTS.map((one) => one.id);
  // Compares parts of ids, because "cluade" is much shorter than "claude-code".
  const byPart = ids.filter((one) => suggestNames(id, one.split("-")).length > 0);
  const whole = suggestNames(id, ids);
  const near = whole.length > 0 ? whole : byPart.slice(0, MAX_NEAR);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `Known agents: ${listFirst(ids, MAX_NAMED)}.`;
  throw new SkilletError("agent-unknown", `There is no agent called ${id}. ${hint}`, { data: { agent: id } });
}

function agentFolder(agent: Agent, { scope, userHome, environment }: FolderRequest): string {
  const folder =
    scope.kind === "user"
      ? agent.userFolder?.({ userHome, environment })
      : agent.projectFolder && join(scope.root, agent.projectFolder);
  if (folder !== undefined) return folder;
  const where = scope.kind === "user" ? "for a user; pass --project" : "in a project; leave out --project";
  throw new SkilletError("agent-without-folder", `${agent.id} has no folder of skills ${where}.`, {
    data: { agent: agent.id, scope: scope.kind },
  });
}

// Paths inside the lock's folder are relative, so that a project can be anywhere.
function pathFrom(root: string, path: string): string {
  const below = relative(root, path);
  const isInside = below !== "" && !below.startsWith("..") && !isAbsolute(below);
  return isInside ? below.split("\\").join("/") : path;
}

/** A project's lock comes with its repository; whatever it names outside the project is someone else's. */
export function outsideFolders(places: AgentPlaces & { readonly scope: HubScope }): readonly string[] {
  const { scope } = places;
  if (scope.kind === "project") return [];
  // Includes folders that agents only read: a skill there may have been adopted.
  const folders = AGENTS.flatMap((agent) =>
    [agent.userFolder?.(places) ?? [], agent.userReads(places)].flat(),
  );
  return [...new Set([scope.pluginsDirectory, ...folders])];
}
