import { randomBytes } from "node:crypto";
import { basename, dirname, join, relative } from "node:path";
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
  /** All other skills: settings that go by a name would switch those as well, and a folder of theirs is not this one's. */
  readonly others?: readonly Pick<Skill, "name" | "directoryName" | "path">[];
  /** It came with a project, so it may be called like anything: only what was done for it is undone. */
  readonly isProjects?: boolean;
  /** Only in this project: by settings there that are a person's own. */
  readonly projectOnly?: boolean;
  /** Only these agents; default: all in use. */
  readonly agents?: readonly Agent[] | undefined;
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
  const undoing = plannings.filter(({ request }) => request.action !== "disable");
  // Backwards over all names: an edit is undone in the text that it was made in.
  for (const record of undoing.length === 0 ? [] : (await readSwitchRecords(parts.home)).toReversed()) {
    const planning = undoing.find((one) => one.request.name === record.skill && isUndone(one, record));
    if (planning !== undefined && record.kind === "edit") planEdit(planning, record);
    else if (planning !== undefined) steps.push({ record, isBack: true });
  }
  for (const planning of plannings) {
    const { skill, projectRoot, action, agents = [] } = planning.request;
    if (skill === undefined) continue;
    const known = [...new Set([...detectAgents(parts), ...agents])];
    const reading = createAgentsReading({ agents: known, places: parts, projectRoot });
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

/** Enabling undoes everything; removing takes back what would be left in settings of agents and in the lock. */
function isUndone({ request, remaining }: Planning, record: SwitchRecord): boolean {
  const { action, name, agents, projectRoot, projectOnly } = request;
  const file = record.kind === "edit" ? record.file : "";
  const isPersonal = file.endsWith(".local.json");
  const isHere = projectRoot !== undefined && isInside(file, canonicalPath(projectRoot));
  // Another project's skill of the name, unless nothing else has it.
  if (isPersonal && !isHere && request.skill !== undefined) return false;
  // Of an installed skill that is removed, only what was changed in its own scope.
  if (action === "remove" && request.skill === undefined && isPersonal !== (projectOnly === true))
    return false;
  if ((projectOnly === true && !isPersonal) || (action === "remove" && record.kind === "move")) return false;
  const others =
    agents === undefined ? [] : record.agents.filter((id) => !agents.some((one) => one.id === id));
  if (others.length === 0) return true;
  if (record.kind === "move" && others.length < record.agents.length)
    remaining.push({
      ...{ agents: agents?.map(({ id }) => id) ?? [], place: record.from },
      reason: "other agents read the same folder, and would load it again too",
      remedy: `For all of them: skillet enable ${shellArgument(name)} --agent ${record.agents.join(",")}`,
    });
  return false;
}

async function planPlace(planning: Planning, file: string, readers: readonly Agent[]): Promise<void> {
  const { request, remaining } = planning;
  const { action, name, agents: only = readers, projectOnly } = request;
  const place = dirname(file);
  const idsOf = (isMeant: boolean): readonly string[] =>
    readers.filter((agent) => only.includes(agent) === isMeant).map(({ id }) => id);
  const [meant, others] = [idsOf(true), idsOf(false)];
  if (meant.length === 0 && action !== "remove") return;
  const owned = action === "enable" ? undefined : ownedByAgent(planning, file);
  if (owned !== undefined) {
    remaining.push({ agents: meant, place, ...owned });
    return;
  }
  const has = (id: string): boolean =>
    projectOnly === true ? AGENT_SWITCHES.get(id)?.personalFile !== undefined : AGENT_SWITCHES.has(id);
  const without = meant.filter((id) => !has(id));
  if (action === "remove" || (action === "disable" && without.length > 0)) {
    const again = `skillet disable ${shellArgument(name)}`;
    const all = [...meant, ...others].join(",");
    const problem =
      projectOnly === true
        ? { reason: "it has no settings of your own for one project", remedy: `For all projects: ${again}` }
        : others.length > 0
          ? {
              reason: "other agents read the same folder",
              remedy: `For all of them: ${again} --agent ${all}`,
            }
          : await planMove(planning, place, meant);
    if (problem === undefined) return;
    remaining.push({ agents: action === "remove" ? meant : without, place, ...problem });
  }
  for (const id of action === "remove" ? [] : meant.filter(has)) await planSetting(planning, file, id);
}

/** By an agent's own settings, under names that no other skill has. */
async function planSetting(planning: Planning, file: string, id: string): Promise<void> {
  const { parts, request, remaining } = planning;
  const { action, name: skill, projectRoot, isProjects = false, projectOnly = false, others = [] } = request;
  const { name = "", directoryName = "" } = request.skill ?? {};
  const own = AGENT_SWITCHES.get(id);
  if (own === undefined) return;
  const common = { agents: [id], place: dirname(file) };
  const taken = new Set(others.flatMap((other) => [other.name, other.directoryName]));
  const names = [...new Set([name, directoryName])].filter(
    (one) => !taken.has(one) || (one === name && !isProjects),
  );
  // Codex goes by the file.
  if (names.length === 0 && id !== "codex") {
    const remedy = "Rename one of them, or tell the agent yourself.";
    if (action === "disable") remaining.push({ ...common, reason: "another skill has its name", remedy });
    return;
  }
  const edit = { kind: "edit", skill, agents: [id], names, skillFile: file, changes: [] } as const;
  const [user, ...ofProject] = own.files(parts, projectRoot);
  const personal = ofProject.find((one) => own.personalFile !== undefined && one.endsWith(own.personalFile));
  if (action === "disable") {
    const settings = isProjects || projectOnly ? (personal ?? user) : user;
    const problem = settings === personal ? await notPersonal(planning, settings) : undefined;
    planEdit(planning, { ...edit, file: settings }, problem);
    return;
  }
  for (const settings of projectOnly ? ofProject : [user, ...ofProject]) {
    const isOwn =
      settings === personal ? !(await notPersonal(planning, settings)) : settings === user && !isProjects;
    const found = isOwn ? planning : { ...planning, steps: [...planning.steps] };
    planEdit(found, { ...edit, file: settings });
    if (found.steps.length > planning.steps.length)
      remaining.push({
        ...{ ...common, reason: `${settings} turns it off, and Skillet did not write that` },
        remedy: "Take that away yourself.",
      });
  }
}

/** Why settings of a project are not a person's own there: a repository may bring them, or a link to anywhere. */
async function notPersonal({ parts, request }: Planning, file: string): Promise<string | undefined> {
  const root = request.projectRoot ?? "";
  if (canonicalPath(file) !== join(canonicalPath(root), relative(root, file)))
    return "it is reached through a link";
  return (await isTracked(parts.environment, file)) ? "git has it under version control" : undefined;
}

function ownedByAgent({ parts, request }: Planning, file: string): Problem | undefined {
  if (request.skill?.kind === "command")
    return { reason: "it is a command, a single file", remedy: `Move ${file} away.` };
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
  const { action, projectRoot, others = [] } = request;
  const from = join(canonicalPath(dirname(place)), basename(place));
  if (steps.some(({ record }) => record.kind === "move" && record.from === from)) return undefined;
  const inProject = (folders: readonly string[]): readonly string[] =>
    projectRoot === undefined ? [] : folders.map((folder) => join(projectRoot, folder));
  const roots = [
    ...[parts.userHome, home, ...inProject([""])],
    ...AGENTS.flatMap((agent) => [...agent.userReads(parts), ...inProject(agent.projectReads)]),
    ...others.map(({ path }) => path),
  ];
  if (roots.some((folder) => isInside(canonicalPath(folder), from)))
    return {
      reason: "its folder holds more than this skill",
      remedy: "Move its SKILL.md into a folder of its own.",
    };
  if (await isTracked(parts.environment, from))
    return {
      reason: "git has it under version control",
      remedy: "Remove it from the repository, or tell these agents yourself.",
    };
  const common = { skill: request.name, agents };
  const installed = action === "disable" ? targetAt(await hub.list(), hub.root, from) : undefined;
  if (installed !== undefined) {
    steps.push({ record: { ...common, kind: "target", ...installed } });
    return undefined;
  }
  const store = action === "remove" ? "removed" : "disabled";
  const to = join(home, store, randomBytes(8).toString("hex"), basename(from));
  steps.push({ record: { ...common, kind: "move", from, to } });
  return undefined;
}

/** Adds the edit of a settings file: a new one, or of a record with changes its undoing. */
function planEdit(
  { request, steps, remaining }: Planning,
  given: Extract<SwitchRecord, EditRecord>,
  problem?: string,
): void {
  const { agents, file, skillFile } = given;
  try {
    if (problem !== undefined) throw new Uncertain(problem);
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
