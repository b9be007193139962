import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { resolveHome, type Skill, type Skills } from "@skillet/core";
import {
  type Agent,
  detectAgents,
  needsTrust,
  projectConfigPath,
  setSkillEnabled,
} from "@skillet/core/internal";
import type { Hub, SwitchRequest } from "@skillet/hub";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import { openAgentsOf } from "../context/agents-of.ts";
import { answer, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { findSkill, openRegistry, resolveSkill } from "../context/open-registry.ts";
import { noProject } from "../context/open-workspace.ts";
import { recordAndApply } from "../context/record-decision.ts";
import {
  agentDocument,
  agentLines,
  confirmAgentChanges,
  dangerousSteps,
  titles,
} from "../hub/agent-changes.ts";
import { isUnremoved, planSwitches, type SwitchPlan } from "../hub/plan-switch.ts";
import { withHub } from "../hub/with-hub.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, listAll, pathArgument, showControl, showPath, showSentence } from "../ui/text.ts";

type ToggleOptions = OfNames<"project" | "yes" | "dryRun"> & { readonly agent?: readonly string[] };

interface Wish {
  readonly enabled: boolean;
  readonly layer: "user" | "project";
  /** Only these, and agents that use Skillet go on as they are. */
  readonly agents?: readonly Agent[] | undefined;
  readonly takeBackOnly?: boolean;
}

export const enable = (context: CommandContext, options: ToggleOptions): Promise<ExitCode> =>
  toggleSkills(context, options, true);

export const disable = (context: CommandContext, options: ToggleOptions): Promise<ExitCode> =>
  toggleSkills(context, options, false);

/** The hub is opened only where an agent is in use, or something was kept from one. */
async function toggleSkills(
  context: CommandContext,
  options: ToggleOptions,
  enabled: boolean,
): Promise<ExitCode> {
  const { home, userHome } = resolveHome(context.environment);
  const layer = options.project === true ? "project" : "user";
  const wish: Wish = { enabled, layer, agents: openAgentsOf(context, {}, options.agent).agents };
  const places = { userHome, environment: context.environment };
  if (
    wish.agents === undefined &&
    detectAgents(places).length === 0 &&
    !existsSync(join(home, "disabled.json"))
  )
    return toggleAll(context, options, wish, await openRegistry(context, WITH), undefined);
  const { dryRun = false } = options;
  return withHub(context, { dryRun, ...WITH }, ({ hub, skills }) =>
    toggleAll(context, options, wish, skills, hub),
  );
}

// Also skills of servers, by the config.
const WITH = { servers: true } as const;

async function toggleAll(
  context: CommandContext,
  { names, yes = false, dryRun = false }: ToggleOptions,
  wish: Wish,
  before: Skills,
  hub: Hub | undefined,
): Promise<ExitCode> {
  const { enabled, layer, agents } = wish;
  if (layer === "project" && before.project === undefined) throw noProject(context.workspace);
  const action = enabled ? "enable" : "disable";
  const { steps, plans: all } = await planNames(context, names, wish, before, hub);
  if (!context.json && !enabled) context.terminal.print(namesakeLines(context, before, names));
  // Before a question, and in a dry run; otherwise the result says it.
  if (dryRun || steps.length > 0) tellProjectFile(context, names, wish, before);
  const dangerous = await dangerousSteps(context, steps, before.config.config.skills.pluginsDir);
  if (!(await confirmAgentChanges(context, all, { yes, dryRun, steps, dangerous }))) {
    const results = all.map((plan) => ({ name: plan.name, ...agentDocument(plan) }));
    return answer(context, { dryRun, results }, () => "Nothing was changed.", dryRun ? 0 : 1);
  }
  const apply = async (): Promise<void> => hub?.applySwitch({ action, steps });
  // What was kept from agents is put back first: the config is about the skill in its own place.
  if (enabled) await apply();
  const current = enabled && hub !== undefined ? await openRegistry(context, WITH) : before;
  const targets = targetsOf(context, names, { before, current, plans: all });
  const files = new Map<Target, string | undefined>();
  for (const target of agents === undefined ? targets : [])
    for (const skill of target.group) {
      // What enabled the first of them by its name has enabled the others.
      const takeBackOnly = enabled && files.get(target) !== undefined;
      const file = await toggle(context, current, { ...target, skill }, { ...wish, takeBackOnly });
      files.set(target, file ?? files.get(target));
    }
  if (!enabled) await apply();
  const after = await openRegistry(context, WITH);
  const results = targets.map((target) => toggleResult(context, target, after, wish, files.get(target)));
  const isStillLoaded = all.some(({ remaining }) => remaining.length > 0);
  return answer(
    context,
    {
      results: results.map(({ group: [skill], now, file, plan, isBackDisabled }) => ({
        name: skill.name,
        qualifiedName: now[0].qualifiedName,
        outcome: isBackDisabled || !enabled ? "disabled" : "enabled",
        ...(file === undefined && !plan?.steps.length && { outcome: "unchanged" }),
        state: now[0].state,
        reason: now[0].reason,
        file,
        ...(now.length > 1 && { paths: now.map(({ path }) => path) }),
        ...(plan && agentDocument(plan)),
      })),
    },
    () =>
      results.flatMap((result) =>
        (agents === undefined ? toggleLines : outcomeLines)(result, { ...context.terminal, ...wish }),
      ),
    results.every((result) => isAsWanted(result, wish)) && !isStillLoaded ? 0 : 1,
  );
}

function tellProjectFile(
  { terminal, environment, json }: CommandContext,
  names: readonly string[],
  { enabled, layer, agents }: Wish,
  { project }: Skills,
): void {
  if (json || enabled || agents !== undefined || layer === "user" || project === undefined) return;
  const file = showPath(projectConfigPath(project.root), environment);
  const text = `Skillet: ${file} disables ${listAll(names)}, for everyone who works on the project`;
  terminal.print(hang(text, terminal, { indent: 2, lead: "  " }));
}

/** A name that several skills have is about all of them; said before anything is asked or done. */
function namesakeLines({ terminal, workspace }: CommandContext, skills: Skills, names: readonly string[]) {
  return names.flatMap((given) => {
    const skill = findSkill(skills, given, workspace);
    const group = skill ? groupOf(skills, skill, given).filter((one) => !isDisabled(one)) : [];
    const text = `${group.length} different skills are called ${given}; this is about all of them. To disable only one:`;
    const commands = group.map((one) => commandIn(terminal)("disable", one));
    return group.length < 2 ? [] : [...hang(text, terminal), ...commands, ""];
  });
}

/** All names are understood before the first file changes. */
async function planNames(
  { environment, workspace }: CommandContext,
  names: readonly string[],
  { enabled, layer, agents }: Wish,
  skills: Skills,
  hub: Hub | undefined,
): Promise<Awaited<ReturnType<typeof planSwitches>>> {
  const action = enabled ? "enable" : "disable";
  const at = { projectRoot: skills.project?.root, projectOnly: layer === "project", agents };
  const requests = new Map<Skill | string, SwitchRequest>();
  for (const given of names) {
    const found = findSkill(skills, given, workspace);
    const isProjects = found !== undefined && needsTrust(found.scope);
    const [skill, ...namesakes] = found ? groupOf(skills, found, given) : [];
    const others = skills.snapshot.skills.filter((one) => one !== skill && !namesakes.includes(one));
    const name = skill?.name ?? given;
    requests.set(skill ?? given, { action, name, skill, namesakes, others, isProjects, ...at });
  }
  const parts = hub && { ...resolveHome(environment), environment, hub };
  const planned = (parts && (await planSwitches(parts, [...requests.values()]))) ?? { plans: [], steps: [] };
  // A skill that was taken from agents may only be known by its record.
  for (const given of names)
    if (!planned.steps.some(({ record }) => record.skill === given)) resolveSkill(skills, given, workspace);
  return planned;
}

/** One that was meant by its path keeps its place, though a copy that an agent got back may have the name now. */
function targetsOf(
  { workspace }: CommandContext,
  names: readonly string[],
  { before, current, plans }: { before: Skills; current: Skills; plans: readonly SwitchPlan[] },
): readonly Target[] {
  const targets = new Map<string, Target>();
  for (const given of names) {
    const meant = isBare(given) ? undefined : findSkill(before, given, workspace)?.path;
    const skill =
      current.snapshot.skills.find(({ path }) => path === meant) ?? findSkill(current, given, workspace);
    const plan = plans.find(({ name }) => name === skill?.name);
    if (skill) targets.set(skill.path, { given, group: groupOf(current, skill, given), plan });
  }
  return [...targets.values()];
}

type Group = readonly [Skill, ...Skill[]];

interface Target {
  readonly given: string;
  readonly group: Group;
  /** Absent where no agent is in use. */
  readonly plan?: SwitchPlan | undefined;
}

const isBare = (given: string): boolean => !/[:/]/.test(given);

/**
 * What a name means to a person who says it to an agent: all the user's own skills of that name, or all the project's,
 * whichever agent reads them. A path or a qualified name means that one alone.
 */
export function groupOf({ snapshot }: Skills, skill: Skill, given: string): Group {
  const namesakes = isBare(given) ? alike(snapshot.skills, skill).filter((one) => one !== skill) : [];
  return [skill, ...namesakes];
}

/** Of its name and on its side: the user's, the project's or a plugin's; the one that has the name first. */
function alike(skills: readonly Skill[], skill: Skill): readonly Skill[] {
  const { kind, name } = skill;
  const sideOf = ({ scope, plugin }: Skill): string =>
    needsTrust(scope) ? "project" : (plugin ?? (scope === "plugin" ? "user" : scope));
  const same = skills.filter(
    (one) => one.kind === kind && one.name === name && sideOf(one) === sideOf(skill),
  );
  const holds = (one: Skill): number => Number(one.qualifiedName === name);
  return same.toSorted((left, right) => holds(right) - holds(left));
}

// A skill named by its path means that one alone; an override by name would switch a namesake as well.
function selectorOf({ snapshot }: Skills, skill: Skill, { given, group }: Target): "name" | "folder" {
  if (skill.kind === "command") return "name";
  const isByPath = given.includes("/") && given !== skill.qualifiedName;
  const isNamesake = ({ scope, name, plugin }: Skill): boolean =>
    scope === skill.scope &&
    name.normalize() === skill.name.normalize() &&
    (skill.plugin === undefined || plugin === skill.plugin);
  const hasNamesake = snapshot.skills.some((other) => !group.includes(other) && isNamesake(other));
  return isByPath || hasNamesake ? "folder" : "name";
}

/** Gives the config file where one was changed. */
async function toggle(
  context: CommandContext,
  skills: Skills,
  target: Target & { readonly skill: Skill },
  { enabled, layer, takeBackOnly = false }: Wish,
): Promise<string | undefined> {
  const { home, project } = skills;
  const { skill } = target;
  const isWanted = (skill.state === "disabled") !== enabled;
  // A project's config counts only once the folder is trusted, and another config may disable the skill.
  if (isWanted && (layer === "user" || (enabled && project?.trusted === true))) return undefined;
  // No config keeps it disabled there, and none can enable it.
  if (enabled && !takeBackOnly && isInside(skill.path, join(home, "disabled"))) return undefined;
  const { name, qualifiedName, scope, kind, plugin, path, digest, directory } = skill;
  const action = enabled ? "enable" : "disable";
  const { userHome } = resolveHome(context.environment);
  const selectBy = selectorOf(skills, skill, target);
  // An override of one folder says nothing about copies in others, nor one of an installed skill by its name about those
  // that lie in agents' folders and stay there.
  const isInstalled = scope === "plugin" && plugin === undefined;
  const copies = skill.alsoAt
    .map(dirname)
    .filter((folder) => selectBy === "folder" || (isInstalled && isStaying(folder, target)));
  return recordAndApply(
    home,
    { action, skill: qualifiedName, scope, path, digest, decision: "allow" },
    async () => {
      let changedFile: string | undefined;
      for (const folder of [directory, ...copies]) {
        const { file, changed } = await setSkillEnabled({
          home,
          layer,
          name,
          enabled,
          userHome,
          kind,
          takeBackOnly,
          ...(folder === directory || !isInstalled
            ? { scope, selectBy }
            : { scope: "user", selectBy: "folder" }),
          directory: folder,
          ...(plugin !== undefined && { plugin }),
          ...(project && { projectRoot: project.root }),
        });
        if (changed) changedFile = file;
      }
      return changedFile;
    },
  );
}

/** Whether a copy is one of its own, and is not taken from its agents with the same command. */
function isStaying(folder: string, { group: [{ directory }], plan }: Target): boolean {
  const leaving = (plan?.steps ?? []).flatMap(({ record }) =>
    record.kind === "edit" ? [] : [record.kind === "move" ? record.from : record.target.path],
  );
  return canonicalPath(folder) !== canonicalPath(directory) && !leaving.includes(folder);
}

/** Of what is removed, so that it is enabled where it comes back; a project's may be another project's, too. */
export async function takeBackDisabling(
  context: CommandContext,
  skills: Skills,
  given: string,
  group: readonly Skill[],
): Promise<void> {
  for (const skill of group.filter(isDisabled)) {
    const layer = needsTrust(skill.scope) ? "project" : "user";
    const target = { given, group: group as Group, skill };
    await toggle(context, skills, target, { enabled: true, layer, takeBackOnly: true });
  }
}

interface ToggleResult extends Target {
  /** As they are now; people know them by the names that they had before. */
  readonly now: Group;
  readonly file: string | undefined;
  /** Others of its name that the command was not about. */
  readonly others: readonly Skill[];
  /** It was removed while it was disabled, and is so again. */
  readonly isBackDisabled: boolean;
}

function toggleResult(
  context: CommandContext,
  target: Target,
  after: Skills,
  { enabled }: Wish,
  file: string | undefined,
): ToggleResult {
  const { group, given, plan } = target;
  const [skill] = group;
  const { skills } = after.snapshot;
  const moved = plan?.steps.flatMap(({ record }) => (record.kind === "move" ? [record.to] : [])) ?? [];
  const same =
    skills.find(({ path }) => path === skill.path) ??
    skills.find(({ directory }) => !enabled && moved.includes(directory)) ??
    skill;
  const [first = same, ...rest] = isBare(given) ? alike(skills, skill) : [];
  const now: Group = [first, ...rest];
  const { agentsOf } = openAgentsOf(context, after);
  const isOther = (one: Skill): boolean =>
    one.name === skill.name && one.plugin === undefined && one.scope !== "bundled" && !now.includes(one);
  return {
    ...target,
    now,
    file,
    others: skills.filter(
      (one) => isOther(one) && (enabled ? one.state === "disabled" : agentsOf(one).length > 0),
    ),
    isBackDisabled:
      plan?.steps.some((step) => isUnremoved(step, after.home)) === true && now.some(isDisabled),
  };
}

const isDisabled = ({ state }: Skill): boolean => state === "disabled";

function isAsWanted({ now, group, plan, isBackDisabled }: ToggleResult, { enabled, agents }: Wish): boolean {
  if (agents !== undefined) return plan?.remaining.length === 0;
  // A link that was moved leads nowhere from the store.
  const isGone = now[0] === group[0] && plan?.steps.some(({ record }) => record.kind === "move") === true;
  return isBackDisabled || now.every((one) => isDisabled(one) !== enabled) || (isGone && !enabled);
}

const noteIn =
  (layout: Layout) =>
  (text: string, lead = "  "): string[] =>
    hang(showSentence(text, layout.environment), layout, { indent: 2, lead });

/** A command, never wrapped: it must survive copy and paste. A skill is named by its folder, where that can be shown. */
const commandIn =
  ({ colours, environment }: Layout) =>
  (action: string, about: Skill | string, ...flags: readonly string[]): string => {
    const [name, folder] = typeof about === "string" ? [about, ""] : [about.qualifiedName, about.directory];
    const isFolder = typeof about !== "string" && about.kind === "skill" && showControl(folder) === folder;
    const words = isFolder ? pathArgument(folder, environment) : shellArgument(name);
    return `    ${colours.cyan(showControl(["skillet", action, words, ...flags].join(" ")))}`;
  };

function outcomeLines(result: ToggleResult, layout: Layout & Wish): string[] {
  const { colours, enabled } = layout;
  const done = enabled && !result.isBackDisabled ? colours.green("✓") : colours.dim("○");
  const isDone = isAsWanted(result, layout) && stillLoading(result, enabled) === undefined;
  const mark = isDone ? done : colours.yellow("!");
  const lines = noteIn(layout)(outcomeText(result, layout), `${mark} `);
  if (result.isBackDisabled) return [...lines, commandIn(layout)("enable", result.group[0].name)];
  return result.plan === undefined ? lines : [...lines, ...agentLines(result.plan, layout)];
}

function toggleLines(result: ToggleResult, layout: Layout & Wish): string[] {
  const { given, file, others } = result;
  const [[skill], [now]] = [result.group, result.now];
  const { colours, enabled, layer } = layout;
  const note = noteIn(layout);
  const command = commandIn(layout);
  const lines = outcomeLines(result, layout);
  if (isAsWanted(result, layout) && enabled && !["enabled", "disabled"].includes(now.state)) {
    const why = `It is not offered yet (${now.state}): ${now.reason ?? "another config decides"}`;
    lines.push(...note(why).map((line) => colours.yellow(line)));
  }
  if (others.length > 0) {
    const [action, is] = enabled ? ["enable", "disabled"] : ["disable", "still loaded by agents"];
    const [what, it] = others.length === 1 ? ["Another skill", "it"] : ["Other skills", "them"];
    const text = `${what} called ${skill.name} ${others.length === 1 ? "is" : "are"} ${is}. To ${action} ${it} as well:`;
    lines.push(...note(text), ...others.slice(0, 5).map((other) => command(action, other)));
  }
  // By its name, it is disabled in every project.
  if (!enabled && file !== undefined && layer === "user" && isBare(given) && needsTrust(skill.scope)) {
    const text = `Skills named ${skill.name} in other projects are disabled too. To disable only this one, enable it again and run one of these:`;
    lines.push(...note(text), command("disable", skill.name, "--project"));
    if (skill.kind === "skill") lines.push(command("disable", skill));
  }
  return lines;
}

function outcomeText(result: ToggleResult, layout: Layout & Wish): string {
  const { enabled, layer, agents, environment } = layout;
  const { given, file, plan } = result;
  const [[{ name, qualifiedName }], [now]] = [result.group, result.now];
  const label = isBare(given) ? name : qualifiedName;
  const word = enabled ? "enabled" : "disabled";
  if (agents !== undefined) return outcomeIn(agents, label, result, layout);
  if (result.isBackDisabled)
    return `${label} is back, and disabled, as it was when it was removed. To enable it:`;
  // A config that has nothing left to say is deleted.
  const place = file === undefined || !existsSync(file) ? undefined : showPath(file, environment);
  const still = stillLoading(result, enabled);
  if (isAsWanted(result, { enabled, layer }) && still !== undefined)
    return `${label} is disabled for agents that use Skillet, but ${still}.`;
  if (isAsWanted(result, { enabled, layer }))
    return file !== undefined || plan?.steps.length
      ? `${label} is ${word} now${place === undefined ? "" : ` (${place})`}.`
      : `${label} is already ${word}; nothing was changed.`;
  if (enabled) {
    // A project cannot enable; it can only stop forbidding.
    const says = layer === "project" ? "no longer disables it" : "does enable it";
    const reason = now.reason ?? "another config decides";
    return `${label} is still disabled: ${reason}.${place === undefined ? "" : ` ${place} ${says}.`}`;
  }
  // Only a project's config can be left unread, and a config that is stronger than a user's can enable.
  const why =
    layer === "project" ? "the folder has to be trusted first: skillet trust" : "another config enables it";
  return `${place ?? "The config"} disables ${label}, but it is still ${now.state}: ${why}`;
}

function stillLoading({ plan }: Target, enabled: boolean): string | undefined {
  const still = [...new Set(plan?.remaining.flatMap(({ agents }) => agents))];
  if (enabled || still.length === 0) return undefined;
  return `${titles(still)} still ${still.length === 1 ? "loads" : "load"} it`;
}

function outcomeIn(agents: readonly Agent[], label: string, { plan }: Target, { enabled }: Wish): string {
  const ids = agents.map(({ id }) => id);
  const remaining = plan?.remaining.flatMap((one) => one.agents) ?? [];
  const changed = plan?.steps.flatMap(({ record }) => record.agents) ?? [];
  const done = ids.filter((id) => changed.includes(id) && !remaining.includes(id));
  const word = enabled ? "enabled" : "disabled";
  if (done.length > 0) return `${label} is ${word} in ${titles(done)} now. Nothing else was changed.`;
  const why = remaining.length > 0 ? "" : `: there is nothing to ${enabled ? "enable" : "disable"} there`;
  return `${label} was not changed${why}.`;
}
