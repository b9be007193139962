import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { Skill } from "@skillet/core";
import {
  AGENTS,
  type Agent,
  type AgentPlaces,
  agentPluginFolders,
  createAgentsReading,
  detectAgents,
} from "@skillet/core/internal";
import {
  AGENT_SWITCHES,
  type EditRecord,
  type Hub,
  isTracked,
  readSwitchRecords,
  type SwitchAction,
  type SwitchRecord,
  type SwitchStep,
  settingsStep,
  targetAt,
  Uncertain,
} from "@skillet/hub";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";

export interface SwitchRequest {
  readonly action: SwitchAction;
  readonly name: string;
  /** Absent where only its records are left. */
  readonly skill?: Pick<Skill, "directoryName" | "kind" | "name" | "path" | "source" | "alsoAt"> | undefined;
  readonly projectRoot?: string | undefined;
  /** Names and folders of all other skills: settings that go by a name would switch those as well. */
  readonly taken?: ReadonlySet<string>;
  /** It came with a project, so it may be called like anything: only what was done for it is undone. */
  readonly isProjects?: boolean;
  /** Only in this project: no agent has a file for that which is not everyone's. */
  readonly projectOnly?: boolean;
}

/** Agents that go on loading a skill, why Skillet does not change that, and what a person can do. */
interface StillLoading {
  readonly agents: readonly string[];
  readonly place: string;
  readonly reason: string;
  readonly remedy: string;
}

export interface SwitchPlan {
  readonly name: string;
  readonly action: SwitchRequest["action"];
  readonly steps: readonly SwitchStep[];
  readonly remaining: readonly StillLoading[];
}

export interface SwitchParts extends AgentPlaces {
  readonly home: string;
  readonly hub: Pick<Hub, "root" | "list">;
}

type Planning = {
  parts: SwitchParts;
  request: SwitchRequest;
  steps: SwitchStep[];
  remaining: StillLoading[];
};
type Problem = Pick<StillLoading, "reason" | "remedy">;

/** Looks at what each agent in use reads, and says how each is kept from a skill or gets it back. */
export async function planSwitch(parts: SwitchParts, request: SwitchRequest): Promise<SwitchPlan> {
  const { steps, plans } = await planSwitches(parts, [request]);
  return { name: request.name, action: request.action, remaining: [], ...plans[0], steps };
}

/** The same for the names of one command; `steps` are those of all, each after what it builds on. */
export async function planSwitches(
  parts: SwitchParts,
  requests: readonly SwitchRequest[],
): Promise<{ readonly plans: readonly SwitchPlan[]; readonly steps: readonly SwitchStep[] }> {
  const steps: SwitchStep[] = [];
  const plannings = requests.map((request): Planning => ({ parts, request, steps, remaining: [] }));
  const back = plannings.filter(({ request }) => request.action === "enable" && request.projectOnly !== true);
  // Backwards over all names: an edit is undone in the text that it was made in.
  for (const record of back.length === 0 ? [] : (await readSwitchRecords(parts.home)).toReversed()) {
    const planning = back.find(({ request }) => request.name === record.skill);
    if (planning !== undefined && record.kind === "edit") planEdit(planning, record);
    else if (planning !== undefined) steps.push({ record });
  }
  for (const planning of plannings) {
    const { skill, projectRoot, action } = planning.request;
    if (skill === undefined) continue;
    const reading = createAgentsReading({ agents: detectAgents(parts), places: parts, projectRoot });
    for (const path of [skill.path, ...skill.alsoAt]) {
      const readers = reading({ ...skill, path, hostDirectory: undefined, alsoAt: [] });
      if (readers.length > 0 || action === "remove") await planPlace(planning, path, readers);
    }
  }
  const plans = plannings.map(({ request: { name, action }, remaining }) => ({
    ...{ name, action, remaining },
    steps: steps.filter(({ record }) => record.skill === name),
  }));
  return { plans, steps };
}

async function planPlace(planning: Planning, file: string, readers: readonly Agent[]): Promise<void> {
  const { request, remaining } = planning;
  const { action } = request;
  const place = dirname(file);
  const ids = readers.map(({ id }) => id);
  const owned = action === "enable" ? undefined : ownedByAgent(planning, file);
  if (owned !== undefined) {
    remaining.push({ agents: ids, place, ...owned });
    return;
  }
  const without = ids.filter((id) => !AGENT_SWITCHES.has(id));
  if (action === "remove" || (action === "disable" && without.length > 0)) {
    const problem = await planMove(planning, place, ids);
    if (problem === undefined) return;
    remaining.push({ agents: action === "remove" ? ids : without, place, ...problem });
  }
  for (const id of action === "remove" ? [] : ids) planSetting(planning, file, id);
}

/** By an agent's own settings, under names that no other skill has. */
function planSetting(planning: Planning, file: string, id: string): void {
  const { parts, request, remaining } = planning;
  const { action, name: skill } = request;
  const place = dirname(file);
  const settings = AGENT_SWITCHES.get(id)?.file(parts);
  const { name = "", directoryName = "" } = request.skill ?? {};
  const { taken, isProjects = false } = request;
  const names = [...new Set([name, directoryName])].filter(
    (one) => taken?.has(one) !== true || (one === name && !isProjects),
  );
  // Codex goes by the file.
  if (names.length === 0 && id !== "codex") {
    const remedy = "Rename one of them, or tell the agent yourself.";
    if (action === "disable")
      remaining.push({ agents: [id], place, reason: "another skill has its name", remedy });
    return;
  }
  const edit = { kind: "edit", skill, agents: [id], names, skillFile: file, changes: [] } as const;
  if (settings === undefined) return;
  const found = isProjects && action === "enable" ? { ...planning, steps: [...planning.steps] } : planning;
  planEdit(found, { ...edit, file: settings });
  if (found.steps.length > planning.steps.length)
    remaining.push({
      ...{ agents: [id], place, reason: `${settings} turns it off, and Skillet did not write that` },
      remedy: "Take that away yourself.",
    });
}

function ownedByAgent({ parts, request }: Planning, file: string): Problem | undefined {
  if (request.projectOnly === true)
    return {
      reason: "for one project only Skillet's own config is changed",
      remedy: `For all: skillet disable ${shellArgument(request.name)}`,
    };
  if (request.skill?.kind === "command")
    return { reason: "it is a command, a single file", remedy: `Move ${file} away.` };
  if (
    request.action === "remove" &&
    isInside(canonicalPath(file), canonicalPath(join(parts.home, "disabled")))
  )
    return {
      reason: "it is disabled, and in Skillet's store already",
      remedy: `To remove it, enable it first: skillet enable ${shellArgument(request.name)}`,
    };
  const plugins = agentPluginFolders(parts, request.projectRoot);
  const plugin = plugins.find(({ path }) => isInside(canonicalPath(file), canonicalPath(path)))?.plugin;
  if (plugin === undefined) return undefined;
  const remedy = `In Claude Code, turn the plugin ${plugin} off with /plugin, or in enabledPlugins of its settings.json.`;
  return { reason: `it belongs to the plugin ${plugin}, which Claude Code manages`, remedy };
}

/** Adds the step that takes a folder away; returns why there is none. */
async function planMove(
  planning: Planning,
  place: string,
  agents: readonly string[],
): Promise<Problem | undefined> {
  const { parts, request, steps } = planning;
  const { home, hub } = parts;
  const from = join(canonicalPath(dirname(place)), basename(place));
  if (steps.some(({ record }) => record.kind === "move" && record.from === from)) return undefined;
  const { projectRoot } = request;
  const roots = AGENTS.flatMap((agent) => [
    ...agent.userReads(parts),
    ...(projectRoot === undefined ? [] : agent.projectReads.map((folder) => join(projectRoot, folder))),
  ]);
  if (roots.some((folder) => isInside(canonicalPath(folder), from)))
    return {
      reason: "it is the folder of all skills",
      remedy: "Move its SKILL.md into a folder of its own.",
    };
  if (await isTracked(parts.environment, from))
    return {
      reason: "git has it under version control",
      remedy: "Remove it from the repository, or tell these agents yourself.",
    };
  const common = { skill: request.name, agents };
  const installed = request.action === "disable" ? targetAt(await hub.list(), hub.root, from) : undefined;
  if (installed !== undefined) {
    steps.push({ record: { ...common, kind: "target", ...installed } });
    return undefined;
  }
  const isRemoved = request.action === "remove";
  const to = join(home, isRemoved ? "removed" : "disabled", randomBytes(8).toString("hex"), basename(from));
  steps.push({ record: { ...common, kind: "move", from, to } });
  return undefined;
}

/** Adds the edit of a settings file: a new one, or of a record with changes its undoing. */
function planEdit({ request, steps, remaining }: Planning, given: Extract<SwitchRecord, EditRecord>): void {
  const { agents, file, skillFile } = given;
  try {
    // Several skills, or places of one, may change the same file one after the other.
    const earlier = steps.findLast(({ record }) => record.kind === "edit" && record.file === file);
    const step = settingsStep(given, earlier, request.action === "disable");
    if (step !== undefined) steps.push(step);
  } catch (error) {
    if (!(error instanceof Uncertain)) throw error;
    const setting = settingsStep(given, { before: undefined, after: undefined, record: given }, true);
    const text = setting?.record.kind === "edit" ? setting.record.changes[0]?.inserted.trim() : "";
    const remedy = `In that file, ${request.action === "disable" ? "write" : "take away"} ${text}`;
    remaining.push({
      agents,
      place: dirname(skillFile),
      reason: `${file} is not edited: ${error.message}`,
      remedy,
    });
  }
}
