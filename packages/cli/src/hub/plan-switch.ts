import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  AGENTS,
  type Agent,
  agentHome,
  createAgentsHolding,
  detectAgents,
  needsTrust,
  readAgentPlugins,
} from "@skillet/core/internal";
import {
  AGENT_SWITCHES,
  type ConfigRecord,
  type Lock,
  type Planning,
  type Problem,
  planEdit,
  planMove,
  planSetting,
  readSwitchRecords,
  type StillLoading,
  type SwitchParts,
  type SwitchRecord,
  type SwitchRequest,
  type SwitchStep,
} from "@skillet/hub";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";

type Placed = NonNullable<SwitchRequest["skill"]>;

export interface SwitchPlan {
  readonly name: string;
  readonly action: SwitchRequest["action"];
  readonly asked?: string | undefined;
  readonly projectOnly?: boolean | undefined;
  readonly steps: readonly SwitchStep[];
  readonly remaining: readonly StillLoading[];
}

/**
 * Plans, for each agent in use, how it is kept from the skills of one command or gets them back. `steps`
 * contains the steps of all plans in order, each after those that it depends on.
 */
export async function planSwitches(
  parts: SwitchParts,
  requests: readonly SwitchRequest[],
): Promise<{ readonly plans: readonly SwitchPlan[]; readonly steps: readonly SwitchStep[] }> {
  const steps: SwitchStep[] = [];
  const plannings = requests.map((request): Planning => ({ parts, request, steps, remaining: [], kept: [] }));
  // Folders are moved before settings let agents load what is in them.
  for (const planning of plannings) if (planning.request.action === "remove") await planPlaces(planning);
  // A skill that cannot be removed stays disabled.
  const undoing = plannings.filter(
    ({ request: { action }, remaining }) =>
      action !== "disable" && (action !== "remove" || remaining.length === 0),
  );
  const records = undoing.length === 0 ? [] : await readSwitchRecords(parts.home);
  const { skills: installed } = await parts.hub.list();
  for (const planning of undoing) planning.kept.push(...keptRecords(planning, records, installed));
  // In reverse order across all names: an edit must be undone in the text that it was made in.
  for (const record of records.toReversed()) {
    const planning = undoing.find(
      (one) => one.request.name === record.skill && isUndone(one, record, records),
    );
    if (planning !== undefined && record.kind === "edit") planEdit(planning, record);
    else if (planning !== undefined) steps.push({ record, isBack: true });
  }
  for (const planning of plannings) {
    const { action, name, projectRoot, projectOnly } = planning.request;
    // Settings that the user turned off get a question of their own, once Skillet has nothing left to undo.
    const isUndoing = action === "enable" && steps.some(({ record }) => record.skill === name);
    const here = records.filter(({ skill, onlyIn }) => skill === name && onlyIn === projectRoot);
    const [only] = projectRoot === undefined || projectOnly === true || isUndoing ? [] : here;
    if (action === "enable" && only !== undefined)
      planning.remaining.push({
        agents: here.flatMap(({ agents }) => agents),
        place: projectRoot ?? "",
        reason: "it is disabled in this project only",
        remedy: `To enable it here: skillet enable ${shellArgument(name)} --project`,
      });
    else if (action !== "remove" && !isUndoing) await planPlaces(planning);
  }
  const plans = plannings.map(({ request: { name, action, asked, projectOnly }, remaining }) => ({
    name,
    action,
    asked,
    projectOnly,
    remaining,
    steps: steps.filter(({ record }) => record.skill === name),
  }));
  return { plans, steps };
}

async function planPlaces(planning: Planning): Promise<void> {
  const { parts, request } = planning;
  const { skill: first, namesakes = [], projectRoot, action, agents = [] } = request;
  const known = [...new Set([...detectAgents(parts), ...agents])];
  const reading = createAgentsHolding({ agents: known, places: parts, projectRoot });
  const group = first === undefined ? [] : [first, ...namesakes];
  const places = group.flatMap((skill) =>
    [skill.path, ...skill.alsoAt].map((path) => {
      const { kind, source, diagnostics = [] } = skill;
      return { skill, path, readers: reading({ kind, source, path, diagnostics, alsoAt: [] }) };
    }),
  );
  const all = [...new Set(places.flatMap(({ readers }) => readers.map(({ id }) => id)))];
  for (const { skill, path, readers } of places) {
    const isProjects = request.isProjects === true || (skill.scope !== undefined && needsTrust(skill.scope));
    const own = { ...planning, request: { ...request, skill, isProjects } };
    if (readers.length > 0 || action === "remove") await planPlace(own, path, { readers, all });
  }
}

/** Enabling undoes everything; removing undoes what would be left in agents' settings and in the lock. */
function isUndone(
  { request, remaining, kept }: Planning,
  record: SwitchRecord,
  records: readonly SwitchRecord[],
): boolean {
  const { action, name, asked, agents, projectRoot, projectOnly = false, keeps } = request;
  if (kept.includes(record) || keeps?.some((one) => JSON.stringify(one) === JSON.stringify(record)))
    return false;
  const isMeant = (one: SwitchRecord): boolean => {
    const file = one.kind === "edit" ? one.file : "";
    const isPersonal = file.endsWith(".local.json");
    const isHere = projectRoot !== undefined && isInside(file, canonicalPath(projectRoot));
    // Leaves out changes made only for another project, unless nothing else has the name.
    if (isPersonal && !isHere && (request.skill ?? request.namesakes)) return false;
    if (one.onlyIn === undefined) return !projectOnly || (isPersonal && one.asked === undefined);
    return keeps !== undefined || (one.onlyIn === projectRoot && (projectOnly || action === "remove"));
  };
  const isAsked = (one: SwitchRecord): boolean =>
    one.skill === name && one.asked !== undefined && one.asked === asked && isMeant(one);
  if (action === "enable" && !isAsked(record) && records.some(isAsked)) return false;
  if (!isMeant(record) || (action === "remove" && record.kind === "move")) return false;
  // Skillet's own config does not belong to any agent.
  if (agents !== undefined && record.kind === "config") return false;
  const othersOf = (one: SwitchRecord): readonly string[] =>
    agents === undefined ? [] : one.agents.filter((id) => !agents.some((agent) => agent.id === id));
  // What was removed while it was disabled stays removed if some agents keep it disabled.
  const isContinued = (one: SwitchRecord): boolean =>
    one.kind === "move" && record.kind === "move" && one.to === record.from;
  if (records.some((one) => isContinued(one) && othersOf(one).length > 0)) return false;
  const others = othersOf(record);
  if (others.length === 0) return true;
  if (record.kind === "move" && others.length < record.agents.length)
    remaining.push({
      agents: agents?.map(({ id }) => id) ?? [],
      place: record.from,
      reason: "other agents read the same folder, and would load it again too",
      remedy: `For all of them: skillet enable ${shellArgument(name)} --agent ${record.agents.join(",")}`,
    });
  return false;
}

/** Records of the name for other skills; undoing them would let an agent load a disabled skill. */
function keptRecords(
  { parts, request, remaining }: Planning,
  records: readonly SwitchRecord[],
  installed: Lock["skills"],
): readonly SwitchRecord[] {
  const { action, name, skill, namesakes = [], others = [], projectRoot } = request;
  const own = [...(skill ? [skill] : []), ...namesakes];
  if (own.length + others.length === 0) return [];
  const filesOf = ({ path, alsoAt }: Placed): readonly string[] => [path, ...alsoAt].map(canonicalPath);
  const isIn = (folder: string, one: Placed): boolean =>
    filesOf(one).some((file) => isInside(file, canonicalPath(folder)));
  /** Whether a config override is about a skill, which may be in the store at the moment. */
  const isOverrideOf = ({ override }: ConfigRecord, one: Placed): boolean => {
    const { directory = "", selectBy, scope } = override;
    const stores = records.flatMap((other) =>
      other.kind === "move" && other.from === directory ? other.to : [],
    );
    if ([directory, ...stores].some((folder) => isIn(folder, one))) return true;
    return selectBy !== "folder" && one.name === override.name && one.scope === scope && isDisabled(one);
  };
  const isFileOf = (record: SwitchRecord, one: Placed): boolean =>
    record.kind === "edit" && filesOf(one).includes(canonicalPath(record.skillFile));
  const isReadBy = ({ agents: ids }: SwitchRecord, one: Placed): boolean => {
    const agents = AGENTS.filter(({ id }) => ids.includes(id));
    const reading = createAgentsHolding({ agents, places: parts, projectRoot });
    const { kind, path, alsoAt, source, diagnostics = [] } = one;
    return reading({ kind, path, alsoAt, source, diagnostics }).length > 0;
  };
  const isDisabled = ({ state }: Placed): boolean => state === "disabled";
  const namesake = (record: SwitchRecord): Placed | undefined => {
    if (record.kind === "config") return others.find((one) => isOverrideOf(record, one));
    if (record.kind === "move") return others.find(({ path }) => isInside(path, record.to));
    if (record.kind === "target") {
      const places = installed.get(record.entry)?.targets ?? [];
      const folders = places.map(({ path }) => resolve(parts.hub.root, path));
      return others.find(({ path }) => folders.some((folder) => isInside(path, folder)));
    }
    const isByFile = record.agents[0] === "codex";
    const hasOwn = (one: Placed): boolean =>
      records.some((other) => other.agents[0] === record.agents[0] && isFileOf(other, one));
    return others.find((one) => {
      const isOff = isDisabled(one) || (action === "remove" && own.length > 0 && !own.some(isDisabled));
      if (isFileOf(record, one)) return isByFile || isOff || action === "remove";
      // A setting by name is written once for all skills of that name.
      return !isByFile && isOff && record.names.includes(one.name) && isReadBy(record, one) && !hasOwn(one);
    });
  };
  return records.filter((record) => {
    if (record.skill !== name) return false;
    const other = namesake(record);
    // A skill of another project, which is not among the others.
    const { directory = "" } = record.kind === "config" ? record.override : {};
    const file = record.kind === "edit" ? record.skillFile : directory && join(directory, "SKILL.md");
    const isElsewhere =
      file !== "" &&
      existsSync(file) &&
      ![...own, ...others].some((one) => filesOf(one).includes(canonicalPath(file)));
    if (isElsewhere && own.length + remaining.length === 0 && action === "enable")
      remaining.push({
        agents: record.agents,
        place: dirname(file),
        reason: "it is in another project",
        remedy: `To enable it: skillet enable ${shellArgument(name)} --workspace ${shellArgument(dirname(file))}`,
      });
    const isByName = record.kind === "edit" && record.agents[0] !== "codex";
    if (other && isByName && action === "enable" && own.some((one) => isReadBy(record, one)))
      remaining.push({
        agents: record.agents,
        place: own[0]?.path ?? "",
        reason: `${record.file} goes by the name, and another skill called ${name} is disabled`,
        remedy: `To enable that one too: skillet enable ${shellArgument(dirname(other.path))}`,
      });
    return other !== undefined || isElsewhere;
  });
}

async function planPlace(
  planning: Planning,
  file: string,
  { readers, all }: { readonly readers: readonly Agent[]; readonly all: readonly string[] },
): Promise<void> {
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
  // Codex identifies skills by file, so a project's skill is turned off in that project only.
  const has = (id: string): boolean =>
    projectOnly === true && !(request.isProjects === true && id === "codex")
      ? AGENT_SWITCHES.get(id)?.personalFile !== undefined
      : AGENT_SWITCHES.has(id);
  const without = meant.filter((id) => !has(id));
  if (action === "remove" || (action === "disable" && without.length > 0)) {
    const again = `skillet disable ${shellArgument(name)}`;
    const problem =
      projectOnly === true
        ? {
            reason: "this agent has no personal settings for a single project",
            remedy: `For all projects: ${again}`,
          }
        : others.length > 0
          ? {
              reason: "other agents read the same folder",
              remedy: `For all of them: ${again} --agent ${[...new Set([...meant, ...all])].join(",")}`,
            }
          : await planMove(planning, place, meant);
    if (problem === undefined) return;
    remaining.push({ agents: action === "remove" ? meant : without, place, ...problem });
  }
  for (const id of action === "remove" ? [] : meant.filter(has)) await planSetting(planning, file, id);
}

function ownedByAgent({ parts, request }: Planning, file: string): Problem | undefined {
  if (request.skill?.kind === "command")
    return { reason: "it is a command, a single file", remedy: `Move ${file} away.` };
  // Codex restores its own skills at every start; they can be switched off one by one.
  if (request.action === "remove" && isInside(file, join(agentHome("CODEX_HOME", parts), "skills/.system")))
    return {
      reason: "it comes with Codex, which would put it back",
      remedy: `To switch it off there: skillet disable ${shellArgument(request.name)}`,
    };
  const { folders } = readAgentPlugins(parts, request.projectRoot);
  const plugin = folders.find(({ path }) => isInside(canonicalPath(file), canonicalPath(path)))?.plugin;
  if (plugin === undefined) return undefined;
  const remedy = `In Claude Code, turn the plugin ${plugin} off with /plugin, or in enabledPlugins of its settings.json.`;
  return { reason: `it belongs to the plugin ${plugin}, which Claude Code manages`, remedy };
}
