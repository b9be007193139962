import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Skill } from "@skillet/core";
import { AGENTS, type Agent, type AgentPlaces, createAgentsHolding } from "@skillet/core/internal";
import { digestBytes } from "@skillet/kit/digest";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import type { Lock } from "../lock/lock-entry.ts";
import { findDrift, isEdit } from "../place/find-drift.ts";
import { isInPlace } from "../plan/plan-update.ts";
import { AGENT_SWITCHES } from "./agent-switches.ts";
import {
  type EditRecord,
  type SwitchAction,
  type SwitchRecord,
  type SwitchStep,
  settingsStep,
  targetAt,
} from "./apply-switch.ts";
import { Uncertain } from "./edit-json.ts";
import { isTracked } from "./git-around.ts";

type PlacedSkill = Pick<Skill, "directoryName" | "kind" | "name" | "path" | "source" | "alsoAt"> &
  Partial<Pick<Skill, "scope" | "state" | "diagnostics">>;

/** A request to keep agents from a skill, or to give it back to them. */
export interface SwitchRequest {
  readonly action: SwitchAction;
  readonly name: string;
  /** As the user gave it: its name, or the whole path. */
  readonly asked?: string | undefined;
  /** Absent if only its records are left. */
  readonly skill?: PlacedSkill | undefined;
  /** Skills of the same name with other files, switched too; to remove an installed skill, all that is removed. */
  readonly namesakes?: readonly PlacedSkill[];
  readonly projectRoot?: string | undefined;
  /** All other skills: settings by name would switch those as well, and their folders must not be moved. */
  readonly others?: readonly PlacedSkill[];
  /** It came with a project, so it may have any name: only changes made for it are undone. */
  readonly isProjects?: boolean;
  /** Only in this project, through settings there that are the user's own. */
  readonly projectOnly?: boolean;
  /** Only these agents. Default: all in use. */
  readonly agents?: readonly Agent[] | undefined;
  /** Records that stay while everything else is undone; for an uninstall. */
  readonly keeps?: readonly SwitchRecord[];
}

/** Agents that still load a skill, why Skillet does not change that, and what the user can do. */
export interface StillLoading {
  readonly agents: readonly string[];
  readonly place: string;
  readonly reason: string;
  readonly remedy: string;
}

/** The machine that a switch is planned for. */
export interface SwitchParts extends AgentPlaces {
  readonly home: string;
  readonly hub: { readonly root: string; list(): Promise<Lock> };
}

/** A plan under construction: `steps` and `remaining` grow. */
export type Planning = {
  parts: SwitchParts;
  request: SwitchRequest;
  steps: SwitchStep[];
  remaining: StillLoading[];
  /** Records for its name that stay, because they keep agents from another skill. */
  kept: SwitchRecord[];
};
/** Why a place cannot be switched, and what the user can do. */
export type Problem = Pick<StillLoading, "reason" | "remedy">;

/** Switches a skill through an agent's own settings, under names that no other skill has. */
export async function planSetting(planning: Planning, file: string, id: string): Promise<void> {
  const { parts, request, remaining } = planning;
  const { action, name: skill, projectRoot, isProjects = false, projectOnly = false } = request;
  const { name = "" } = request.skill ?? {};
  const own = AGENT_SWITCHES.get(id);
  if (own === undefined) return;
  const common = { agents: [id], place: dirname(file) };
  const names = ownNames(planning, id);
  // Codex identifies skills by file.
  if (!names.includes(name) && id !== "codex") {
    const remedy = `Its settings go by names: rename this ${skill} or the other, in SKILL.md and the folder.`;
    if (action === "disable") remaining.push({ ...common, reason: "another skill has its name", remedy });
    return;
  }
  const made = { skill, ...madeBy(request), changes: [] };
  const edit = { kind: "edit", ...made, agents: [id], names, skillFile: file } as const;
  const [user, ...ofProject] = own.files(parts, projectRoot);
  const personal = ofProject.find((one) => own.personalFile !== undefined && one.endsWith(own.personalFile));
  if (action === "disable") {
    const settings = isProjects || projectOnly ? (personal ?? user) : user;
    const problem = settings === personal ? await notPersonal(planning, settings) : undefined;
    planEdit(planning, { ...edit, file: settings }, problem);
    return;
  }
  for (const settings of projectOnly ? ofProject : [user, ...ofProject]) {
    if (planning.kept.some((one) => one.kind === "edit" && one.file === settings)) continue;
    const isOwn =
      settings === personal ? !(await notPersonal(planning, settings)) : settings === user && !isProjects;
    const found = isOwn ? planning : { ...planning, steps: [...planning.steps] };
    planEdit(found, { ...edit, file: settings });
    if (found.steps.length > planning.steps.length)
      remaining.push({
        ...common,
        reason: `${settings} turns it off, and Skillet did not write that`,
        remedy: "Remove that entry yourself.",
      });
  }
}

/** The names by which a setting means this skill and no other that the agent reads. */
function ownNames({ parts, request }: Planning, id: string): readonly string[] {
  const { action, asked, projectRoot, isProjects = false, others = [] } = request;
  const { name = "", directoryName = "" } = request.skill ?? {};
  const agents = AGENTS.filter((agent) => agent.id === id);
  const reading = createAgentsHolding({ agents, places: parts, projectRoot });
  // A disabled skill may share the setting, since it stays off.
  const reached = others.filter(({ state, kind, path, alsoAt, source, diagnostics = [] }) => {
    const isOff = !isProjects && state === "disabled";
    return !isOff && reading({ kind, path, alsoAt, source, diagnostics }).length > 0;
  });
  const taken = new Set(reached.flatMap((other) => [other.name, other.directoryName]));
  // A bare name means all of the user's own skills with that name; a path or a qualified name means one of them.
  const isForAll = !isProjects && (action === "enable" || !/[:/]/.test(asked ?? request.name));
  return [...new Set([name, directoryName])].filter((one) => !taken.has(one) || (one === name && isForAll));
}

function madeBy({ asked, projectOnly, projectRoot }: SwitchRequest): Pick<SwitchRecord, "asked" | "onlyIn"> {
  return { asked, onlyIn: projectOnly === true ? projectRoot : undefined };
}

/** Why settings in a project are not the user's own: a repository may bring them, or a link to anywhere. */
async function notPersonal({ parts, request }: Planning, file: string): Promise<string | undefined> {
  const root = request.projectRoot ?? "";
  if (canonicalPath(file) !== join(canonicalPath(root), relative(root, file)))
    return "it is reached through a link";
  return (await isTracked(parts.environment, file)) ? "git has it under version control" : undefined;
}

/** Adds the step that moves a folder away; returns the reason if there is none. */
export async function planMove(
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
  const isOff = request.skill?.state === "disabled";
  const alone = "Move its SKILL.md into a folder of its own.";
  if (roots.some((folder) => isInside(canonicalPath(folder), from)))
    return { reason: "its folder holds more than this skill", remedy: alone };
  if (await isTracked(parts.environment, from))
    return {
      reason: "git has it under version control",
      remedy:
        action === "remove" && !isOff && agents.every((id) => AGENT_SWITCHES.has(id))
          ? `To switch it off instead: skillet disable ${shellArgument(request.asked ?? request.name)}`
          : "Remove it from the repository, or turn it off in the agent itself, if it has a setting for that.",
    };
  const common = { skill: request.name, ...madeBy(request), agents, kind: "move" } as const;
  const lock = await hub.list();
  const installed = action === "disable" ? targetAt(lock, hub.root, from) : undefined;
  const entry = installed && lock.skills.get(installed.entry);
  if (installed && entry) {
    const { how, path: target } = installed.target;
    // It would come back as the lock lists it; a link holds no edits.
    const drift = how === "link" ? [] : await findDrift({ folder: from, target, files: entry.files });
    const update = `skillet update ${shellArgument(installed.entry)}`;
    const keep = isInPlace(hub, entry) ? `To keep the edits: ${update}. ` : "";
    const remedy = `${keep}To drop them: ${update} --discard. Then repeat this command.`;
    if (drift.some(isEdit)) return { reason: "it was edited there", remedy };
    steps.push({ record: { ...common, ...installed, kind: "target" } });
    return undefined;
  }
  // Deterministic, so that the preview and the change agree.
  const inStore = (store: string, count = 0): string => {
    const place = join(home, store, digestBytes(Buffer.from(`${from}\0${count}`)).slice(7, 23));
    return existsSync(place) ? inStore(store, count + 1) : join(place, basename(from));
  };
  const disabled = isInside(from, join(home, "disabled")) ? from : inStore("disabled");
  if (action === "disable") steps.push({ record: { ...common, from, to: disabled } });
  // A disabled skill passes through the store, so that it is still disabled when it comes back.
  else if (isOff && disabled !== from)
    steps.push(
      { record: { ...common, from, to: disabled } },
      { record: { ...common, agents: [], from: disabled, to: inStore("removed") } },
    );
  else steps.push({ record: { ...common, from, to: inStore("removed") } });
  return undefined;
}

/** Adds the edit of a settings file: a new one or, for a record with changes, its undo. */
export function planEdit(
  { request, steps, remaining }: Planning,
  given: Extract<SwitchRecord, EditRecord>,
  problem?: string,
): void {
  const { agents, file, skillFile } = given;
  try {
    if (problem !== undefined) throw new Uncertain(problem);
    // Several skills, or several places of one, may change the same file in succession.
    const earlier = steps.findLast(({ record }) => record.kind === "edit" && record.file === file);
    const step = settingsStep(given, earlier, request.action === "disable");
    if (step !== undefined) steps.push(step);
  } catch (error) {
    if (!(error instanceof Uncertain)) throw error;
    const setting = settingsStep(given, { before: undefined, after: undefined, record: given }, true);
    const text = setting?.record.kind === "edit" ? setting.record.changes[0]?.inserted.trim() : "";
    const remedy = `In ${file}, ${request.action === "disable" ? "add" : "remove"} ${text}`;
    const reason = `${file} is not edited: ${error.message}`;
    remaining.push({ agents, place: dirname(skillFile), reason, remedy });
  }
}
