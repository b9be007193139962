import type { CommandContext } from "../command-context.ts";
import { loadInstalling } from "./load-installing.ts";
import type { CommandHub } from "./open-command-hub.ts";
import { pick } from "./pick.ts";

/** Whose folders get what is installed: by the command line, by the config, else whoever a person picks of those in use. */
export async function chooseAgents(
  context: CommandContext,
  { scope, userHome, config }: Pick<CommandHub, "scope" | "userHome" | "config">,
  options: {
    readonly agents: readonly string[] | undefined;
    readonly yes: boolean;
    readonly signal: AbortSignal;
  },
): Promise<readonly string[]> {
  const { agents, yes, signal } = options;
  if (agents !== undefined) return agents;
  if (config.hub.agents.length > 0) return config.hub.agents;
  const { dialog, json, environment } = context;
  if (dialog === undefined || json || yes) return [];
  const { AGENTS, detectAgents } = loadInstalling();
  const places = { userHome, environment };
  const used = new Set(detectAgents(places));
  const offered = AGENTS.filter((agent) => used.has(agent.id)).flatMap((agent) => {
    const folder = scope.kind === "user" ? agent.user?.(places) : agent.project;
    // Those read Skillet's own folder in a project.
    return folder === undefined || folder === ".agents/skills" ? [] : [{ id: agent.id, folder }];
  });
  if (offered.length === 0) return [];
  const indexes = await pick(context, dialog, {
    title: "Which of these agents get it too? (esc: none)",
    items: offered.map(({ id, folder }) => ({ name: id, description: `by a link in ${folder}` })),
    chosen: offered.map((_, index) => index),
    signal,
  });
  signal.throwIfAborted();
  return (indexes ?? []).flatMap((index) => offered[index]?.id ?? []);
}
