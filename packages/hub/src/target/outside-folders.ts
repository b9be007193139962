import type { HubScope } from "../hub-scope.ts";
import type { AgentPlaces } from "./agent.ts";
import { AGENTS } from "./agents.ts";

/**
 * The folders outside a lock's own that its targets may lie in: for a user those of their agents, for a project none.
 *
 * A project's lock comes with its repository; whatever it names outside the project is somebody else's.
 */
export function outsideFolders({
  scope,
  ...places
}: AgentPlaces & { readonly scope: HubScope }): readonly string[] {
  if (scope.kind === "project") return [];
  const folders = AGENTS.map((agent) => agent.user?.(places)).filter((folder) => folder !== undefined);
  return [...new Set([scope.pluginsDirectory, ...folders])];
}
