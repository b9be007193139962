import { type Agent, detectAgents } from "@skillet/core/internal";
import { listFirst } from "@skillet/kit/text";
import type { CommandContext } from "../context/command-context.ts";
import { loadInstalling } from "../load-beside.ts";
import { showPath } from "../ui/text.ts";
import { pick } from "./picker.ts";
import type { HubWork } from "./with-hub.ts";

interface AgentFolder {
  readonly folder: string;
  /** Absent where Skillet's own copy lies there. */
  readonly link?: Agent;
  readonly readers: Agent[];
}

const MAX_NAMED = 8;

/**
 * The agents whose folders get what is installed: those of the command line or the config, else those in use here, which
 * a person on a terminal may narrow; `notice` tells of them where none were named.
 */
export async function chooseAgents(
  context: CommandContext,
  work: HubWork,
  { agents, asks }: { readonly agents?: readonly string[] | undefined; readonly asks: boolean },
): Promise<{ readonly ids: readonly string[]; readonly notice?: string }> {
  const { terminal, environment, dialog } = context;
  const { config } = work;
  const named = agents ?? (config.hub.agents.length > 0 ? config.hub.agents : undefined);
  if (named !== undefined) {
    const ids = named.filter((id) => id !== "none");
    return { ids, notice: alsoReading(context, work, ids) };
  }
  const folders = foldersToFill(context, work);
  const linked = folders.flatMap(({ link, ...rest }) => (link === undefined ? [] : [{ link, ...rest }]));
  if (!asks || context.json || dialog === undefined || linked.length === 0) {
    const readers = folders.flatMap((one) => one.readers.map(({ title }) => title));
    const places = folders.map(({ folder }) => showPath(folder, environment)).join(", ");
    const read = `Read by ${listFirst(readers, MAX_NAMED)} from ${places}`;
    const notice =
      readers.length > 0
        ? `${read}${linked.length > 0 ? " (to make no links: --agent none)" : ""}.`
        : "No agent in use here reads Skillet's library. Link it for one with --agent ID, such as claude-code.";
    // In a project it is for the agents of everyone who works on it.
    if (readers.length === 0 && work.scope.kind === "project") return { ids: [] };
    return { ids: linked.map(({ link }) => link.id), notice };
  }
  const indexes = await pick(terminal, dialog, {
    title: "Which of these agents get it too?",
    items: linked.map(({ folder, readers }) => {
      const place = showPath(folder, environment);
      const name = readers.map(({ title }) => title).join(", ");
      return { name, note: place, description: `by a link in ${place}` };
    }),
    chosen: linked.map((_, index) => index),
    signal: work.signal,
  });
  return { ids: (indexes ?? []).flatMap((index) => linked[index]?.link.id ?? []) };
}

/** Agents in use that read a folder of those that were named, and so get it too. */
function alsoReading(
  { environment }: CommandContext,
  { scope, userHome }: HubWork,
  ids: readonly string[],
): string {
  const places = { userHome, environment };
  const isUser = scope.kind === "user";
  const agents = ids.map((id) => loadInstalling().agentOf(id));
  const others = detectAgents(places).filter(({ id }) => agents.every((agent) => agent.id !== id));
  const folders = new Set(agents.map((agent) => (isUser ? agent.userFolder?.(places) : agent.projectFolder)));
  return [...folders]
    .flatMap((folder = "") => {
      const readers = others.filter((one) =>
        (isUser ? one.userReads(places) : one.projectReads).includes(folder),
      );
      const titles = listFirst(
        readers.map(({ title }) => title),
        MAX_NAMED,
      );
      return readers.length === 0 ? [] : [`Also read there by ${titles}: ${showPath(folder, environment)}`];
    })
    .join(" ");
}

// Each folder once: with two links, an agent that reads both folders would see the skill twice.
function foldersToFill(
  { environment }: CommandContext,
  { scope, userHome }: HubWork,
): readonly AgentFolder[] {
  const places = { userHome, environment };
  const isUser = scope.kind === "user";
  const readsOf = (agent: Agent): readonly string[] =>
    isUser ? agent.userReads(places) : agent.projectReads;
  const folders: AgentFolder[] = isUser ? [] : [{ folder: ".agents/skills", readers: [] }];
  // Those with the least choice first.
  const found = detectAgents(places).toSorted((left, right) => readsOf(left).length - readsOf(right).length);
  for (const agent of found) {
    const shared = folders.find(({ folder }) => readsOf(agent).includes(folder));
    const folder = isUser ? agent.userFolder?.(places) : agent.projectFolder;
    if (shared !== undefined) shared.readers.push(agent);
    else if (folder !== undefined) folders.push({ folder, link: agent, readers: [agent] });
  }
  return folders.filter(({ readers }) => readers.length > 0);
}
