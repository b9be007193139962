import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import { type Agent, needsTrust } from "@skillet/core/internal";
import { readSwitchRecords, type SwitchRecord, type SwitchRequest } from "@skillet/hub";
import { canonicalPath } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import { openAgentsOf } from "../context/agents-of.ts";
import { answer, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { findSkill, openRegistry, resolveSkill } from "../context/open-registry.ts";
import { noProject } from "../context/open-workspace.ts";
import {
  agentDocument,
  agentLines,
  confirmAgentChanges,
  dangerousSteps,
  namesakeLines,
  remainingLines,
  said,
  titles,
} from "../hub/agent-changes.ts";
import { withConfig } from "../hub/plan-config.ts";
import { planSwitches, type SwitchPlan } from "../hub/plan-switch.ts";
import { type HubWork, withHub } from "../hub/with-hub.ts";
import { howToEnable } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, pathArgument, showControl, showPath } from "../ui/text.ts";

type ToggleOptions = OfNames<"project" | "yes" | "dryRun"> & { readonly agent?: readonly string[] };

interface Wish {
  readonly enabled: boolean;
  readonly layer: "user" | "project";
  /** Only these agents; agents that use Skillet are unaffected. */
  readonly agents?: readonly Agent[] | undefined;
}

/** A name or path given to the command. */
interface Target {
  readonly given: string;
  /** How a record refers to it: by the name, or by the full path. */
  readonly asked: string;
  readonly name: string;
  /** Empty if only its records are left. */
  readonly group: readonly Skill[];
}

export const enable = (context: CommandContext, options: ToggleOptions): Promise<ExitCode> =>
  toggleSkills(context, options, true);

export const disable = (context: CommandContext, options: ToggleOptions): Promise<ExitCode> =>
  toggleSkills(context, options, false);

async function toggleSkills(
  context: CommandContext,
  { names, project, agent, yes = false, dryRun = false }: ToggleOptions,
  enabled: boolean,
): Promise<ExitCode> {
  const { agents } = openAgentsOf(context, {}, agent);
  const wish: Wish = { enabled, layer: project === true ? "project" : "user", agents };
  return withHub(context, { dryRun, servers: true }, async (work) => {
    const { hub, skills: before } = work;
    if (wish.layer === "project" && before.project === undefined) throw noProject(context.workspace);
    const planned = await planTargets(context, names, wish, work);
    const { targets, plans, steps } = planned;
    if (!context.json && !enabled) context.terminal.print(reachLines(context, before, planned));
    const dangerous = await dangerousSteps(context, steps, before.config.config.skills.pluginsDir);
    const isStillLoaded = plans.some(({ remaining }) => remaining.length > 0);
    if (!(await confirmAgentChanges(context, plans, { yes, dryRun, steps, dangerous }))) {
      const results = plans.map((plan) => ({ name: plan.name, ...agentDocument(plan), file: fileOf(plan) }));
      const left = dryRun ? plans.flatMap((plan) => remainingLines(plan, context.terminal)) : [];
      const text = [...left, "Nothing was changed."];
      return answer(context, { dryRun, results }, () => text, dryRun && !isStillLoaded ? 0 : 1);
    }
    await hub.applySwitch({ action: enabled ? "enable" : "disable", steps });
    const after = await openRegistry(context, { servers: true });
    const results = targets.flatMap((target, index) => {
      const plan = plans[index];
      return plan === undefined ? [] : toggleResult(context, { ...target, plan }, after, wish);
    });
    const rest = enabled || agents !== undefined ? [] : results.flatMap(({ others }) => others);
    return answer(
      context,
      {
        results: results.map(({ name, now, plan }) => ({
          name,
          qualifiedName: now[0].qualifiedName,
          outcome: plan.steps.length === 0 ? "unchanged" : enabled ? "enabled" : "disabled",
          state: now[0].state,
          reason: now[0].reason,
          file: fileOf(plan),
          ...(now.length > 1 && { paths: now.map(({ path }) => path) }),
          ...agentDocument(plan),
        })),
      },
      () => [
        ...results.flatMap((result) =>
          (agents === undefined ? toggleLines : outcomeLines)(result, { ...context.terminal, ...wish }),
        ),
        // Skills that are known only by their records.
        ...plans
          .filter((plan) => !results.some((result) => result.plan === plan))
          .flatMap((plan) => agentLines(plan, context.terminal)),
        ...namesakeLines(context, after, rest),
      ],
      results.every((result) => isAsWanted(result, wish)) && !isStillLoaded ? 0 : 1,
    );
  });
}

const fileOf = ({ steps }: SwitchPlan): string | undefined =>
  steps.flatMap(({ record }) => (record.kind === "config" ? record.file : []))[0];

/** Says which skills a name means and which others the settings affect, before anything is asked or done. */
function reachLines(
  context: CommandContext,
  skills: Skills,
  { targets, steps }: Awaited<ReturnType<typeof planTargets>>,
): readonly string[] {
  const { terminal } = context;
  const several = targets.flatMap(({ given, group }) => {
    const on = group.filter((one) => !isDisabled(one));
    const text = `${on.length} different skills are called ${given}; this is about all of them. To disable only one:`;
    const commands = on.map((one) => commandIn(terminal)("disable", one));
    return on.length < 2 ? [] : [...hang(text, terminal), ...commands, ""];
  });
  const { readersOf } = openAgentsOf(context, skills);
  const meant = targets.flatMap(({ group }) => group);
  const others = skills.snapshot.skills.filter((one) => !meant.includes(one) && !isDisabled(one));
  const reached = others.flatMap((one) => {
    const isNamed = (name: string): boolean => [one.name, one.directoryName].includes(name);
    // Codex identifies skills by file.
    const named = steps.flatMap(({ record }) =>
      record.kind === "edit" && record.names.some(isNamed) ? record.agents : [],
    );
    const ids = readersOf(one).loading.flatMap(({ id }) => (id !== "codex" && named.includes(id) ? id : []));
    const text = `${titles(ids)} would no longer load ${one.directory} either: it has the same name.`;
    return ids.length === 0 ? [] : said(text, terminal, `${terminal.colours.yellow("!")} `);
  });
  return [...several, ...reached];
}

/** Resolves all names and plans all changes before the first file changes. */
async function planTargets(
  context: CommandContext,
  names: readonly string[],
  { enabled, layer, agents }: Wish,
  { hub, skills, home, userHome }: HubWork,
): Promise<Awaited<ReturnType<typeof planSwitches>> & { readonly targets: readonly Target[] }> {
  const { environment, workspace } = context;
  const action = enabled ? "enable" : "disable";
  const records = (await readSwitchRecords(home)).filter(
    ({ onlyIn }) => onlyIn === (layer === "project" ? skills.project?.root : undefined),
  );
  const found = names.map((given) => findTarget(skills, records, given, { workspace, enabled }));
  const targets = [...new Map(found.map((one) => [one.group[0]?.path ?? one.name, one])).values()];
  const at = { projectRoot: skills.project?.root, projectOnly: layer === "project", agents };
  const requests = targets.map(({ name, asked, group: [skill, ...namesakes] }): SwitchRequest => {
    const others = skills.snapshot.skills.filter((one) => one !== skill && !namesakes.includes(one));
    return { action, name, asked, skill, namesakes, others, ...at };
  });
  const planned = await planSwitches({ home, userHome, environment, hub }, requests);
  // A skill that was removed from agents may only be known by its record.
  for (const [index, { steps, remaining }] of planned.plans.entries())
    if (steps.length + remaining.length === 0) resolveSkill(skills, targets[index]?.given ?? "", workspace);
  const groups = agents === undefined ? targets.map(({ group }) => group) : [];
  return { targets, ...withConfig(planned, skills, { layer, groups }) };
}

/** Resolves a name or path; the skill may be in the store at the moment. */
function findTarget(
  skills: Skills,
  records: readonly SwitchRecord[],
  given: string,
  { workspace, enabled }: Pick<CommandContext, "workspace"> & Pick<Wish, "enabled">,
): Target {
  const all = skills.snapshot.skills;
  const asked = askedAs(skills, given, workspace);
  const isFrom = (one: SwitchRecord): boolean =>
    one.asked === asked || (one.kind === "move" && one.from === asked);
  const own = enabled ? records.filter(isFrom) : [];
  const isTouched = (one: Skill): boolean => own.some((record) => isAbout(record, one));
  const found = findSkill(skills, given, workspace) ?? all.find(isTouched);
  const name = found?.name ?? own.at(-1)?.skill ?? given;
  if (found === undefined) return { given, asked, name, group: [] };
  const alike = all.filter((one) => one.kind === found.kind && one.name === name);
  const touched = alike.filter(isTouched);
  const off = enabled && isBare(given) ? alike.filter(isDisabled) : [];
  const group = touched.length > 0 ? touched : off.length > 0 ? off : groupOf(skills, found, given);
  return { given, asked, name, group };
}

/** Returns how a record refers to a name or path; paths are absolute, whatever the working directory. */
export function askedAs({ snapshot }: Skills, given: string, workspace: string): string {
  const isName = !given.includes("/") || snapshot.skills.some((one) => one.qualifiedName === given);
  const path = resolve(workspace, given);
  return isName ? given : join(canonicalPath(dirname(path)), basename(path));
}

/** Whether a record is about a skill, at the place where it is now. */
function isAbout(record: SwitchRecord, { path, alsoAt }: Skill): boolean {
  const ofConfig = record.kind === "config" ? record.override.directory : undefined;
  const ofMove = record.kind === "move" ? record.to : ofConfig;
  const folder = record.kind === "edit" ? dirname(record.skillFile) : ofMove;
  if (folder === undefined) return false;
  return [path, ...alsoAt].some((file) => canonicalPath(dirname(file)) === canonicalPath(folder));
}

type Group = readonly [Skill, ...Skill[]];

const isBare = (given: string): boolean => !/[:/]/.test(given);

/**
 * What a user means by a name: all skills of that name of the user, of the project or of a plugin, whichever
 * agent reads them, the one that holds the name first. A path or a qualified name means just that one.
 */
export function groupOf({ snapshot }: Skills, skill: Skill, given: string): Group {
  if (!isBare(given)) return [skill];
  const sideOf = ({ scope, plugin }: Skill): string =>
    needsTrust(scope) ? "project" : (plugin ?? (scope === "plugin" ? "user" : scope));
  const isAlike = (one: Skill): boolean =>
    one !== skill && one.kind === skill.kind && one.name === skill.name && sideOf(one) === sideOf(skill);
  const holds = (one: Skill): number => Number(one.qualifiedName === one.name);
  return [skill, ...snapshot.skills.filter(isAlike).toSorted((left, right) => holds(right) - holds(left))];
}

interface ToggleResult extends Target {
  readonly plan: SwitchPlan;
  /** The skills after the change; users know them by the names they had before. */
  readonly now: Group;
  /** True for a moved link, which leads nowhere from the store. */
  readonly isGone: boolean;
  /** Other skills of this name that the command was not about; for `enable`, those that stay disabled. */
  readonly others: readonly Skill[];
  /** Another skill also has its qualified name. */
  readonly isAmbiguous: boolean;
  /** Agents whose loaders refuse it anyway. */
  readonly refusing: readonly string[];
  /** What enables it if this command did not. */
  readonly instead?: string | undefined;
  /** Agents in which the user turned it off, which stays so. */
  readonly switchedOff: readonly Agent[];
}

function toggleResult(
  context: CommandContext,
  target: Target & { readonly plan: SwitchPlan },
  after: Skills,
  { enabled }: Wish,
): readonly ToggleResult[] {
  const { group, name, plan } = target;
  const { skills } = after.snapshot;
  const lies = (file: string): string => join(canonicalPath(dirname(dirname(file))), basename(dirname(file)));
  const filesOf = ({ path, alsoAt }: Skill): readonly string[] => [path, ...alsoAt];
  const places = plan.steps.flatMap(({ record, isBack }) =>
    record.kind !== "move" ? [] : isBack ? [record.from] : [record.to],
  );
  const before = new Set(group.flatMap(filesOf));
  const here = skills.filter((one) =>
    filesOf(one).some((file) => before.has(file) || places.includes(lies(file))),
  );
  const [shown = group[0], ...rest] = here;
  if (shown === undefined) return [];
  const now: Group = [shown, ...rest];
  const { readersOf } = openAgentsOf(context, after);
  const isOther = (one: Skill): boolean => one.name === name && one.scope !== "bundled" && !now.includes(one);
  const off = now.find(isDisabled);
  const readers = [...group, ...now].map(readersOf);
  return [
    {
      ...target,
      now,
      isGone: here.length === 0,
      others: skills.filter((one) => isOther(one) && (!enabled || (isDisabled(one) && !one.plugin))),
      isAmbiguous: skills.some((one) => !now.includes(one) && one.qualifiedName === shown.qualifiedName),
      refusing: readers.flatMap(({ refusedBy }) => refusedBy.map(({ agent }) => agent.id)),
      instead: enabled && off !== undefined ? howToEnable(off, after.config.layers) : undefined,
      switchedOff: enabled ? now.flatMap((one) => readersOf(one).switchedOff) : [],
    },
  ];
}

const isDisabled = ({ state }: Skill): boolean => state === "disabled";

function isAsWanted({ now, isGone, plan }: ToggleResult, { enabled, agents }: Wish): boolean {
  if (agents !== undefined) return plan.remaining.length === 0;
  return (isGone && !enabled) || now.every((one) => isDisabled(one) !== enabled);
}

/** Never wrapped, so that it survives copy and paste. Names a skill by its folder, if that can be shown. */
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
  const done = enabled ? colours.green("✓") : colours.dim("○");
  const isDone = isAsWanted(result, layout) && stillLoading(result, enabled) === undefined;
  const mark = isDone ? done : colours.yellow("!");
  const lines = said(outcomeText(result, layout), layout, `${mark} `);
  return [...lines, ...agentLines(result.plan, layout, result.refusing)];
}

function toggleLines(result: ToggleResult, layout: Layout & Wish): string[] {
  const { name, plan, others, switchedOff } = result;
  const [now] = result.now;
  const { colours, enabled } = layout;
  const note = (text: string): string[] => said(text, layout);
  const command = commandIn(layout);
  const lines = outcomeLines(result, layout);
  if (isAsWanted(result, layout) && enabled && !["enabled", "disabled"].includes(now.state)) {
    const why = `It is not offered yet (${now.state}): ${now.reason ?? "another config decides"}`;
    lines.push(...note(why).map((line) => colours.yellow(line)));
  }
  if (result.instead !== undefined && plan.remaining.length === 0)
    lines.push(...note("To enable it:"), `    ${colours.cyan(result.instead)}`);
  const byHand = [...new Set(switchedOff.map(({ id }) => id))];
  if (plan.steps.length > 0 && byHand.length > 0) {
    const text = `You, or another program, switched it off in ${titles(byHand)}, which stays so. To enable it there:`;
    lines.push(...note(text), command("enable", name));
  }
  for (const other of enabled ? others.slice(0, 5) : []) {
    const text = `Another skill called ${name} is disabled. To enable it as well:`;
    lines.push(...note(text), command("enable", other));
  }
  return lines;
}

function outcomeText(result: ToggleResult, layout: Layout & Wish): string {
  const { enabled, layer, agents, environment } = layout;
  const { given, name, plan } = result;
  const file = fileOf(plan);
  const [now] = result.now;
  const { qualifiedName, directory } = result.group[0] ?? now;
  const label = isBare(given) ? name : result.isAmbiguous ? showPath(directory, environment) : qualifiedName;
  const word = enabled ? "enabled" : "disabled";
  if (agents !== undefined) return outcomeIn(label, result, layout);
  // A config that becomes empty is deleted.
  const place = file === undefined || !existsSync(file) ? undefined : showPath(file, environment);
  const still = stillLoading(result, enabled);
  if (isAsWanted(result, { enabled, layer }) && still !== undefined)
    return `${label} is disabled for agents that use Skillet, but ${still}.`;
  if (isAsWanted(result, { enabled, layer }))
    return plan.steps.length > 0
      ? `${label} is ${word} now${place === undefined ? "" : ` (${place})`}.`
      : `${label} is already ${word}; nothing was changed.`;
  if (enabled) {
    const { reason = "another config decides" } = result.now.find(isDisabled) ?? now;
    return `${label} is still disabled: ${reason}.`;
  }
  // Only a project's config can be unread, and only a config stronger than the user's can override `disable`.
  const why =
    layer === "project" ? "the folder has to be trusted first: skillet trust" : "another config enables it";
  return `${place ?? "The config"} disables ${label}, but it is still ${now.state}: ${why}`;
}

function stillLoading({ plan }: ToggleResult, enabled: boolean): string | undefined {
  const still = [...new Set(plan.remaining.flatMap(({ agents }) => agents))];
  if (enabled || still.length === 0) return undefined;
  return `${titles(still)} still ${still.length === 1 ? "loads" : "load"} it`;
}

function outcomeIn(label: string, { plan }: ToggleResult, { enabled, agents = [] }: Wish): string {
  const ids = agents.map(({ id }) => id);
  const remaining = plan.remaining.flatMap((one) => one.agents);
  const changed = plan.steps.flatMap(({ record }) => record.agents);
  const done = ids.filter((id) => changed.includes(id) && !remaining.includes(id));
  const word = enabled ? "enabled" : "disabled";
  if (done.length > 0) return `${label} is ${word} in ${titles(done)} now. Nothing else was changed.`;
  if (changed.length > 0) return `${label} was ${word} in one place, and another one is left.`;
  const why = remaining.length > 0 ? "" : `: there is nothing to ${enabled ? "enable" : "disable"} there`;
  return `${label} was not changed${why}.`;
}
