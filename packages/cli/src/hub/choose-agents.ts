import { type Agent, detectAgents } from "@skillet/core/internal";
import type { PlannedItem, RefusedItem } from "@skillet/hub";
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

interface Choice {
  readonly agents?: readonly string[] | undefined;
  readonly asks: boolean;
  /** What is to be installed, where that is known. */
  readonly found?: readonly (PlannedItem | RefusedItem)[];
}

/**
 * The agents whose folders get what is installed: those of the command line or the config, else those in use here, which
 * a person on a terminal may narrow; `notice` tells of them where none were named. Those that would read none of it are
 * among them, and no question is about them: the plan says why they get no link.
 */
export async function chooseAgents(
  context: CommandContext,
  work: HubWork,
  { agents, asks, found = [] }: Choice,
): Promise<{ readonly ids: readonly string[]; readonly notice?: string }> {
  const { terminal, environment, dialog } = context;
  const { config } = work;
  const named = agents ?? (config.hub.agents.length > 0 ? config.hub.agents : undefined);
  if (named !== undefined) {
    const ids = named.filter((id) => id !== "none");
    return { ids, notice: alsoReading(context, work, ids) };
  }
  const { canReach } = loadInstalling();
  const reaches = ({ id }: Agent): boolean =>
    found.length === 0 || found.some((item) => item.state === "refused" || canReach(id, item.parts));
  const places = agentPlaces(context, work);
  const away = places.inUse.filter((agent) => !reaches(agent));
  const folders = foldersToFill(places, work, reaches);
  const linked = folders.flatMap(({ link, ...rest }) => (link === undefined ? [] : [{ link, ...rest }]));
  const isAsked = asks && !context.json && dialog !== undefined && linked.length > 0;
  const names = found.map((item) =>
    item.state === "planned" ? `${item.name} (${item.report.verdict})` : item.name,
  );
  const indexes = isAsked
    ? await pick(terminal, dialog, {
        title: `${names.length > 0 ? `${listFirst(names, MAX_NAMED)}. ` : ""}Which of these agents get it too?`,
        items: linked.map(({ folder, readers }) => {
          const place = showPath(folder, environment);
          const name = readers.map(({ title }) => title).join(", ");
          return { name, note: place, description: `by a link in ${place}` };
        }),
        chosen: linked.map((_, index) => index),
        signal: work.signal,
      })
    : linked.keys();
  const chosen = [...(indexes ?? [])].flatMap((index) => linked[index] ?? []);
  const ids = [...chosen.map(({ link }) => link), ...away].map(({ id }) => id);
  const read = [...folders.filter(({ link }) => link === undefined), ...chosen];
  const readers = read.flatMap((one) => one.readers.map(({ title }) => title));
  if (readers.length === 0) return { ids, notice: noReader(work, linked.length === 0 ? away : []) };
  const isPlugin =
    found.length > 0 && found.every((item) => item.state === "planned" && item.kind === "plugin");
  if (isAsked || isPlugin) return { ids };
  const shown = read.map(({ folder }) => showPath(folder, environment)).join(", ");
  const without = linked.length > 0 ? " (to make no links: --agent none)" : "";
  return { ids, notice: `Read by ${listFirst(readers, MAX_NAMED)} from ${shown}${without}.` };
}

function noReader({ scope }: HubWork, away: readonly Agent[]): string {
  const titles = listFirst(
    away.map(({ title }) => title),
    MAX_NAMED,
  );
  if (away.length > 0)
    return `No agent in use here reads it: the skills of a plugin lie too deep for ${titles}. To link one of its skills, install it by name: --skill NAME`;
  // In a project it is for the agents of everyone who works on it.
  if (scope.kind === "project") return "";
  return "No agent in use here reads Skillet's library. Link it for one with --agent ID, such as claude-code.";
}

/** Agents in use that read a folder of those that were named, and so get it too. */
function alsoReading(context: CommandContext, work: HubWork, ids: readonly string[]): string {
  const { readsOf, folderOf, inUse } = agentPlaces(context, work);
  const agents = ids.map((id) => loadInstalling().agentOf(id));
  const others = inUse.filter(({ id }) => agents.every((agent) => agent.id !== id));
  return [...new Set(agents.map(folderOf))]
    .flatMap((folder = "") => {
      const readers = others.filter((one) => readsOf(one).includes(folder)).map(({ title }) => title);
      const place = showPath(folder, context.environment);
      return readers.length === 0 ? [] : [`Also read there by ${listFirst(readers, MAX_NAMED)}: ${place}`];
    })
    .join(" ");
}

function agentPlaces({ environment }: CommandContext, { scope, userHome }: HubWork) {
  const places = { userHome, environment };
  const isUser = scope.kind === "user";
  return {
    readsOf: (agent: Agent) => (isUser ? agent.userReads(places) : agent.projectReads),
    folderOf: (agent: Agent) => (isUser ? agent.userFolder?.(places) : agent.projectFolder),
    inUse: detectAgents(places),
  };
}

// Each folder once: with two links, an agent that reads both folders would see the skill twice.
function foldersToFill(
  { readsOf, folderOf, inUse }: ReturnType<typeof agentPlaces>,
  { scope }: HubWork,
  reaches: (agent: Agent) => boolean,
): readonly AgentFolder[] {
  const folders: AgentFolder[] = scope.kind === "user" ? [] : [{ folder: ".agents/skills", readers: [] }];
  // Those with the least choice first.
  for (const agent of inUse.toSorted((left, right) => readsOf(left).length - readsOf(right).length)) {
    if (!reaches(agent)) continue;
    const shared = folders.find(({ folder }) => readsOf(agent).includes(folder));
    const folder = folderOf(agent);
    if (shared !== undefined) shared.readers.push(agent);
    else if (folder !== undefined) folders.push({ folder, link: agent, readers: [agent] });
  }
  return folders.filter(({ readers }) => readers.length > 0);
}
