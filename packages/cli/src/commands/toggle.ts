import { existsSync } from "node:fs";
import { join } from "node:path";
import { resolveHome, type Skill, type Skills } from "@skillet/core";
import { type Agent, detectAgents, needsTrust, setSkillEnabled } from "@skillet/core/internal";
import type { Hub } from "@skillet/hub";
import { shellArgument } from "@skillet/kit/text";
import { openAgentsOf } from "../context/agents-of.ts";
import { answer, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { findSkill, lookUpSkill, openRegistry, resolveSkill } from "../context/open-registry.ts";
import { noProject } from "../context/open-workspace.ts";
import { recordAndApply } from "../context/record-decision.ts";
import { vetShown } from "../context/vet-shown.ts";
import { agentDocument, agentLines, confirmAgentChanges, titles } from "../hub/agent-changes.ts";
import { planSwitches, type SwitchPlan, type SwitchRequest } from "../hub/plan-switch.ts";
import { withHub } from "../hub/with-hub.ts";
import { stillLoaded, verdictWords } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, showControl, showPath, showSentence } from "../ui/text.ts";

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
    return toggleAll(context, options, wish, await openRegistry(context), undefined);
  const { dryRun = false } = options;
  return withHub(context, { dryRun }, ({ hub, skills }) => toggleAll(context, options, wish, skills, hub));
}

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
  const plans = new Map(all.map((plan) => [plan.name, plan]));
  if (!(await confirmAgentChanges(context, all, { yes, dryRun, steps }))) {
    const results = all.map((plan) => ({ name: plan.name, ...agentDocument(plan) }));
    return answer(context, { dryRun, results }, () => "Nothing was changed.", dryRun ? 0 : 1);
  }
  const apply = async (): Promise<void> => hub?.applySwitch({ action, steps });
  // What was kept from agents is put back first: the config is about the skill in its own place.
  if (enabled) await apply();
  const current = enabled && hub !== undefined ? await openRegistry(context) : before;
  const targets = new Map<Skill, Target>();
  for (const name of names) {
    const skill = meantNow(before, current, name, context.workspace);
    if (skill !== undefined)
      targets.set(skill, { skill, selectBy: selectorOf(current, skill, name), plan: plans.get(skill.name) });
  }
  const files = new Map<Skill, string | undefined>();
  for (const target of agents === undefined ? targets.values() : [])
    files.set(target.skill, await toggle(context, current, target, wish));
  if (!enabled) await apply();
  const after = await openRegistry(context);
  const results = [...targets.values()].map((target) =>
    toggleResult(target, after, wish, files.get(target.skill)),
  );
  if (enabled)
    await warnOfDangers(
      context,
      after,
      results.map(({ now }) => now),
    );
  const isStillLoaded = all.some(({ remaining }) => remaining.length > 0);
  return answer(
    context,
    {
      results: results.map(({ skill, now, file, plan }) => ({
        ...{ name: skill.name, qualifiedName: now.qualifiedName },
        outcome: file === undefined && !plan?.steps.length ? "unchanged" : enabled ? "enabled" : "disabled",
        ...{ state: now.state, reason: now.reason, file },
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

/** Says where agents now load what Skillet keeps back. */
async function warnOfDangers(
  context: CommandContext,
  skills: Skills,
  shown: readonly Skill[],
): Promise<void> {
  const facts = await vetShown(context, skills, shown);
  const { agentsOf } = openAgentsOf(context, skills, ["all"]);
  for (const skill of shown) {
    const known = facts.get(skill);
    const loaded = stillLoaded(skill, known, agentsOf(skill));
    if (known === undefined || loaded === undefined) continue;
    const text = `${skill.qualifiedName} is ${verdictWords(known)}; ${loaded.who}. To stop that: ${loaded.stop}`;
    context.terminal.warn(hang(text, context.terminal));
  }
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
    const skill = findSkill(skills, given, workspace);
    const others = skills.snapshot.skills.filter((other) => other !== skill);
    const isProjects = skill !== undefined && needsTrust(skill.scope);
    requests.set(skill ?? given, { action, name: skill?.name ?? given, skill, others, isProjects, ...at });
  }
  const parts = hub && { ...resolveHome(environment), environment, hub };
  const planned = (parts && (await planSwitches(parts, [...requests.values()]))) ?? { plans: [], steps: [] };
  // A skill that was taken from agents may only be known by its record.
  for (const given of names)
    if (!planned.steps.some(({ record }) => record.skill === given)) resolveSkill(skills, given, workspace);
  return planned;
}

/** The one that was meant keeps its place, though a copy that an agent got back may have the name now. */
function meantNow(before: Skills, current: Skills, name: string, workspace: string): Skill | undefined {
  const meant = findSkill(before, name, workspace)?.path;
  return current.snapshot.skills.find(({ path }) => path === meant) ?? findSkill(current, name, workspace);
}

interface Target {
  readonly skill: Skill;
  readonly selectBy: "name" | "folder";
  /** Absent where no agent is in use. */
  readonly plan: SwitchPlan | undefined;
}

// A skill named by its path means that one alone; an override by name would switch a namesake as well.
function selectorOf({ snapshot }: Skills, skill: Skill, given: string): "name" | "folder" {
  if (skill.kind === "command") return "name";
  const isByPath = given.includes("/") && given !== skill.qualifiedName;
  const hasNamesake = snapshot.skills.some(
    (other) =>
      other !== skill &&
      other.scope === skill.scope &&
      other.name.normalize() === skill.name.normalize() &&
      (skill.plugin === undefined || other.plugin === skill.plugin),
  );
  return isByPath || hasNamesake ? "folder" : "name";
}

/** Gives the config file where one was changed. */
async function toggle(
  context: CommandContext,
  { home, project }: Skills,
  { skill, selectBy }: Target,
  { enabled, layer, takeBackOnly = false }: Wish,
): Promise<string | undefined> {
  const isWanted = (skill.state === "disabled") !== enabled;
  // A project's config counts only once the folder is trusted, and another config may disable the skill.
  if (isWanted && (layer === "user" || (enabled && project?.trusted === true))) return undefined;
  const { name, qualifiedName, scope, kind, plugin, path, digest, directory } = skill;
  const action = enabled ? "enable" : "disable";
  const { userHome } = resolveHome(context.environment);
  const { file, changed } = await recordAndApply(
    home,
    { action, skill: qualifiedName, scope, path, digest, decision: "allow" },
    () =>
      setSkillEnabled({
        ...{ home, layer, name, scope, enabled, userHome, kind, directory, selectBy, takeBackOnly },
        ...(plugin !== undefined && { plugin }),
        ...(project && { projectRoot: project.root }),
      }),
  );
  return changed ? file : undefined;
}

/** Of a skill that is removed, so that it is enabled where it comes back; a project's may be another project's, too. */
export async function takeBackDisabling(
  context: CommandContext,
  skills: Skills,
  given: string,
): Promise<void> {
  const found = lookUpSkill(skills, given, context.workspace);
  if (found.kind !== "found" || found.skill.state !== "disabled") return;
  const { skill } = found;
  const layer = needsTrust(skill.scope) ? "project" : "user";
  const target = { skill, selectBy: selectorOf(skills, skill, given), plan: undefined };
  await toggle(context, skills, target, { enabled: true, layer, takeBackOnly: true });
}

interface ToggleResult extends Pick<Target, "plan"> {
  /** As it was before; people know it by that name. */
  readonly skill: Skill;
  readonly now: Skill;
  readonly file: string | undefined;
  readonly heir: Skill | undefined;
  /** Others of its name that are disabled, where this one was not: perhaps one of them was meant. */
  readonly disabledNamesakes: readonly Skill[];
  readonly holdsInEveryProject: boolean;
}

function toggleResult(
  { skill, selectBy, plan }: Target,
  after: Skills,
  { enabled, layer }: Wish,
  file: string | undefined,
): ToggleResult {
  const { skills } = after.snapshot;
  const moved = plan?.steps.flatMap(({ record }) => (record.kind === "move" ? [record.to] : [])) ?? [];
  const now =
    skills.find(({ path }) => path === skill.path) ??
    skills.find(({ directory }) => !enabled && moved.includes(directory)) ??
    skill;
  const mayBeMistaken = enabled && file === undefined && now.qualifiedName === now.name;
  return {
    ...{ skill, now, file, plan },
    heir: skills.find((other) => other !== now && other.qualifiedName === skill.qualifiedName),
    disabledNamesakes: skills.filter(
      ({ name, state }) => mayBeMistaken && name === now.name && state === "disabled",
    ),
    holdsInEveryProject:
      !enabled && file !== undefined && layer === "user" && selectBy === "name" && needsTrust(skill.scope),
  };
}

function isAsWanted({ now, skill, plan }: ToggleResult, { enabled, agents }: Wish): boolean {
  if (agents !== undefined) return plan?.remaining.length === 0;
  // A link that was moved leads nowhere from the store.
  const isGone = now === skill && plan?.steps.some(({ record }) => record.kind === "move") === true;
  return (now.state === "disabled") !== enabled || (isGone && !enabled);
}

const MAX_NAMESAKES = 5;

const noteIn =
  (layout: Layout) =>
  (text: string, lead = "  "): string[] =>
    hang(showSentence(text, layout.environment), layout, { indent: 2, lead });

function outcomeLines(result: ToggleResult, layout: Layout & Wish): string[] {
  const { colours, enabled } = layout;
  const done = enabled ? colours.green("✓") : colours.dim("○");
  const mark = isAsWanted(result, layout) ? done : colours.yellow("!");
  const lines = noteIn(layout)(outcomeText(result, layout), `${mark} `);
  return result.plan === undefined ? lines : [...lines, ...agentLines(result.plan, layout)];
}

function toggleLines(result: ToggleResult, layout: Layout & Wish): string[] {
  const { skill, now, heir, disabledNamesakes: namesakes } = result;
  const { colours, enabled, environment } = layout;
  const isDone = isAsWanted(result, layout);
  const note = noteIn(layout);
  // Never wrapped: a command must survive copy and paste.
  const command = (...words: readonly string[]): string =>
    `    ${colours.cyan(showControl(`skillet ${words.map(shellArgument).join(" ")}`))}`;
  const lines = outcomeLines(result, layout);
  if (isDone && enabled && now.state !== "enabled") {
    const why = `It is not offered yet (${now.state}): ${now.reason ?? "another config decides"}`;
    lines.push(...note(why).map((line) => colours.yellow(line)));
  }
  // One that was moved is told of above, with the way back.
  const isMoved = now.path !== skill.path;
  if (now.qualifiedName !== skill.qualifiedName && !isMoved) {
    const owner = heir && `; ${skill.qualifiedName} is ${showPath(heir.path, environment)}`;
    const isUndoable = heir !== undefined && !enabled;
    const undo = isUndoable ? " To undo this:" : "";
    lines.push(...note(`It is now called ${now.qualifiedName}${owner ?? ""}.${undo}`));
    if (isUndoable) lines.push(command("enable", now.qualifiedName));
  }
  if (namesakes.length > 0) {
    const places = namesakes.slice(0, MAX_NAMESAKES).map(({ path }) => showPath(path, environment));
    const others =
      namesakes.length === 1
        ? `Another skill of the name ${skill.name} is`
        : `${namesakes.length} others of the name ${skill.name} are`;
    lines.push(...note(`${others} disabled (${places.join(", ")}). To enable it:`));
    for (const other of namesakes.slice(0, MAX_NAMESAKES)) lines.push(command("enable", other.qualifiedName));
  }
  if (result.holdsInEveryProject) {
    const { name, kind, directory } = skill;
    const text = `Other projects' skills of the name ${name} are disabled, too. To disable only this one, enable it again and run one of these:`;
    lines.push(...note(text), command("disable", name, "--project"));
    // A path that cannot be shown as it is would name another folder.
    if (kind === "skill" && showControl(directory) === directory) lines.push(command("disable", directory));
  }
  return lines;
}

function outcomeText(result: ToggleResult, { enabled, layer, agents, environment }: Layout & Wish): string {
  const { skill, now, file } = result;
  const { qualifiedName } = skill;
  if (agents !== undefined) {
    const named = titles(agents.map(({ id }) => id));
    const word = enabled ? "enabled" : "disabled";
    if (result.plan?.steps.length)
      return `${qualifiedName} is ${word} in ${named} now. Nothing else was changed.`;
    return `${qualifiedName} was not changed: there is nothing to ${enabled ? "enable" : "disable"} in ${named}.`;
  }
  const place = file === undefined ? undefined : showPath(file, environment);
  const word = enabled ? "enabled" : "disabled";
  if (isAsWanted(result, { enabled, layer }))
    return place !== undefined
      ? `${qualifiedName} is ${word} now (${place}).`
      : result.plan?.steps.length
        ? `${qualifiedName} is ${word} now.`
        : `${qualifiedName} is already ${word}; nothing was changed.`;
  if (enabled) {
    // A project cannot enable; it can only stop forbidding.
    const says = layer === "project" ? "no longer disables it" : "does enable it";
    const reason = now.reason ?? "another config decides";
    return `${qualifiedName} is still disabled: ${reason}.${place === undefined ? "" : ` ${place} ${says}.`}`;
  }
  // Only a project's config can be left unread, and a config that is stronger than a user's can enable.
  const why =
    layer === "project" ? "the folder has to be trusted first: skillet trust" : "another config enables it";
  return `${place ?? "The config"} disables ${qualifiedName}, but it is still ${now.state}: ${why}`;
}
