import { resolve } from "node:path";
import type { Skill } from "@skillet/core";
import { detectAgents } from "@skillet/core/internal";
import type { PlannedItem, RefusedItem } from "@skillet/hub";
import { isInside } from "@skillet/kit/files";
import { listFirst } from "@skillet/kit/text";
import { openAgentsOf } from "../context/agents-of.ts";
import type { CommandContext } from "../context/command-context.ts";
import { interrupted } from "../context/create-ask.ts";
import { verdictOf } from "../context/describe-here.ts";
import { openRegistry } from "../context/open-registry.ts";
import { loadInstalling } from "../load-beside.ts";
import { readBy } from "../ui/skill-state.ts";
import { hang, showPath, showSentence } from "../ui/text.ts";
import { pick } from "./picker.ts";
import type { HubWork } from "./with-hub.ts";

const MAX_NAMED = 8;

interface ChosenAgents {
  readonly ids: readonly string[];
  /** Whether the command line or the config names them; otherwise, they are the agents in use here. */
  readonly isNamed: boolean;
}

/** Returns the agents to install for; the plan says which of them would not read each skill. */
export function agentsFor(
  { environment }: CommandContext,
  { config, userHome }: HubWork,
  agents?: readonly string[],
): ChosenAgents {
  const named = agents ?? (config.hub.agents.length > 0 ? config.hub.agents : undefined);
  const ids =
    named?.filter((id) => id !== "none") ?? detectAgents({ userHome, environment }).map(({ id }) => id);
  return { ids, isNamed: named !== undefined };
}

/** Lets the user leave agents out on a terminal. Agents that would read no skill are not offered. */
export async function narrowAgents(
  { terminal, environment, dialog }: CommandContext,
  { scope, userHome, signal }: HubWork,
  ids: readonly string[],
  found: readonly (PlannedItem | RefusedItem)[],
): Promise<readonly string[]> {
  const isReached = (id: string): boolean =>
    found.length === 0 ||
    found.some((item) => item.state === "refused" || !item.unlinked?.some(({ agent }) => agent === id));
  const agents = ids.filter(isReached);
  const folders = loadInstalling().foldersFor({ scope, userHome, environment, agents });
  const linked = folders.filter(({ agent }) => agent !== undefined);
  if (dialog === undefined) return ids;
  if (linked.length === 0) return agents;
  const names = found.map((item) => `${item.name} (${verdictOf(item) ?? "refused"})`);
  const indexes = await pick(terminal, dialog, {
    title: `${names.length > 0 ? `${listFirst(names, MAX_NAMED)}. ` : ""}Which of these agents get it too?`,
    items: linked.map(({ folder, readers }) => {
      const place = showPath(folder, environment);
      const name = readers.map(({ title }) => title).join(", ");
      return { name, note: place, description: `by a link in ${place}` };
    }),
    chosen: linked.map((_, index) => index),
    signal,
  });
  if (indexes === undefined) throw interrupted("without an answer");
  const left = linked.filter((_, index) => !indexes.includes(index)).flatMap(({ readers }) => readers);
  // Agents that were not offered are left out, too: a plugin's requirements would be linked for them.
  return agents.filter((id) => !left.some((agent) => agent.id === id));
}

/** Says who reads the installed skills, in the words of `explain`. */
export async function readerLines(
  context: CommandContext,
  { hub: { root }, scope }: HubWork,
  items: readonly PlannedItem[],
  { ids, isNamed }: ChosenAgents,
): Promise<readonly string[]> {
  if (items.length === 0) return [];
  const skills = await openRegistry(context);
  const { readersOf } = openAgentsOf(context, skills, ids);
  const places = items.flatMap(({ entry }) => entry.targets.map(({ path }) => resolve(root, path)));
  const isPlaced = ({ path, alsoAt }: Skill): boolean =>
    [path, ...alsoAt].some((file) => places.some((place) => isInside(file, place)));
  const namesBy = new Map<string, string[]>();
  for (const skill of skills.snapshot.skills.filter(isPlaced)) {
    const words = readBy(readersOf(skill));
    namesBy.set(words, [...(namesBy.get(words) ?? []), skill.qualifiedName]);
  }
  const [why] = items.flatMap(({ unlinked = [] }) => unlinked.map((one) => one.why));
  const unread = why
    ? `no agent in use here reads it: ${why}`
    : `no agent in use here reads Skillet's library${isNamed ? "" : ". Link it for one with --agent ID, such as claude-code."}`;
  const lines = [...namesBy].flatMap(([words, names]) => {
    // A project's skills are for the agents of everyone who works on it.
    const text = words || (scope.kind === "project" ? "" : unread);
    const said =
      namesBy.size === 1
        ? text.replace(/^./, (first) => first.toUpperCase())
        : `${listFirst(names, MAX_NAMED)}: ${text}`;
    return hang(text && showSentence(said, context.environment), context.terminal);
  });
  const isLinked = items.some(
    ({ action, entry }) => action !== "unchanged" && entry.targets.some(({ agent }) => agent !== undefined),
  );
  return [...lines, ...hang(isLinked && !isNamed ? "To make no links: --agent none" : "", context.terminal)];
}
