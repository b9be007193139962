import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { resolveHome, type Skill, type Skills } from "@skillet/core";
import { AGENTS } from "@skillet/core/internal";
import { lineDiff, type SwitchStep } from "@skillet/hub";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { openAgentsOf } from "../context/agents-of.ts";
import { againWith, type CommandContext } from "../context/command-context.ts";
import { confirmChange, yesNeeded } from "../context/create-ask.ts";
import { openRegistry } from "../context/open-registry.ts";
import { vetShown } from "../context/vet-shown.ts";
import { loadedBy } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import {
  hang,
  listAll,
  pathArgument,
  showControl,
  showPath,
  showSentence,
  stripControl,
} from "../ui/text.ts";
import type { SwitchPlan } from "./plan-switch.ts";

interface Confirming {
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** The steps of all plans, in order of execution. */
  readonly steps?: readonly SwitchStep[];
  readonly dangerous?: Dangers;
}

/** Shows the exact changes to agents, and asks unless they only undo others. Returns whether to go on. */
export async function confirmAgentChanges(
  context: CommandContext,
  plans: readonly SwitchPlan[],
  { yes, dryRun, steps = plans.flatMap((plan) => plan.steps), dangerous }: Confirming,
): Promise<boolean> {
  const { terminal, json } = context;
  // A change to the user's own config is not asked about; the result names the file.
  const isShown = dryRun || steps.some((step) => step.record.kind !== "config" || isAskedAbout(step));
  if (!json && isShown) terminal.print(changeLines(steps, terminal));
  if (dryRun) return false;
  if (dangerous?.size && !(await isRisked(context, dangerous, yes))) return false;
  const asks = steps.filter(isAskedAbout);
  if (yes || asks.length === 0) return true;
  const byHand = asks.flatMap((step) => (step.byHand === true ? step.record.agents : []));
  const flag = plans.some(({ projectOnly }) => projectOnly === true) ? " --project" : "";
  const question =
    byHand.length > 0
      ? `It was turned off in ${titles([...new Set(byHand)])} by you or another program, not by Skillet. Turn it on?`
      : `Go on? \`skillet enable${flag}\` undoes this.`;
  return confirmChange(context, question, { details: { changes: plans.map(agentDocument) } });
}

/** Changes to agents or for project members need a question; the user's own config and undoing do not. */
function isAskedAbout({ record, isBack, byHand }: SwitchStep): boolean {
  if (isBack === true) return byHand === true;
  return record.kind !== "config" || record.override.layer === "project";
}

/** Giving a dangerous skill back to agents needs a question of its own. */
async function isRisked(context: CommandContext, dangerous: Dangers, yes: boolean): Promise<boolean> {
  const { terminal, confirm, environment } = context;
  const steps = [...dangerous.keys()];
  const found = [...dangerous.values()];
  const verdict = found.some(({ isScanned }) => isScanned) ? "dangerous" : "unknown, as it failed";
  const names = stripControl(listAll([...new Set(steps.map(({ record }) => record.skill))]));
  if (!yes && confirm === undefined)
    throw yesNeeded(`Enabling ${names}`, againWith(context, "--yes"), `the scan calls it ${verdict}`);
  // Without a question, the user reads it after its folder is back.
  const why = Array.from(dangerous, ([{ record }, { folder }]) => {
    const place = yes && record.kind === "move" ? record.from : folder;
    return `  skillet scan ${pathArgument(place, environment)}`;
  });
  terminal.warn([`The scan calls ${names} ${verdict}. To see why:`, ...new Set(why)]);
  const who = titles([...new Set(steps.flatMap(({ record }) => record.agents))]);
  return yes || (await confirm?.(`Let ${who} load ${names} again?`)) === true;
}

/** Lists each folder, and each settings file once with all its changes. */
export function changeLines(steps: readonly SwitchStep[], layout: Layout): string[] {
  const { environment, colours } = layout;
  const inConfig = steps.flatMap(({ record, isBack }) => {
    if (record.kind !== "config") return [];
    const team = record.override.layer === "project" ? ", for everyone who works on the project" : "";
    const verb = isBack ? "no longer disables" : "disables";
    return `Skillet: ${record.file} ${verb} ${record.skill}${team}`;
  });
  const atAgents = steps.flatMap(({ record, before = "", isBack }, index) => {
    if (record.kind === "config") return [];
    const who = record.agents.length === 0 ? "" : `${titles(record.agents)}: `;
    const line = (text: string): string[] => said(`${who}${text}`, layout);
    if (record.kind === "target")
      return line(`the ${record.target.how} ${record.target.path} is ${isBack ? "put back" : "removed"}`);
    if (record.kind === "move") {
      const moves = steps.flatMap((one) => (one.record.kind === "move" ? [endsOf(one.record, one)] : []));
      const { from, to } = endsOf(record, { isBack });
      if (moves.some((one) => one.to === from)) return [];
      const last = moves.find((one) => one.from === to)?.to ?? to;
      return line(`${showPath(from, environment)} moves to ${showPath(last, environment)}`);
    }
    const isSame = (one: SwitchStep): boolean =>
      one.record.kind === "edit" && one.record.file === record.file;
    if (steps.findIndex(isSame) < index) return [];
    const settings = listAll([...new Set(steps.filter(isSame).flatMap((one) => one.setting ?? []))]);
    const changed = lineDiff(before, steps.findLast(isSame)?.after ?? "").flatMap(({ kind, text }) => {
      if (kind === "same" || text.trim() === "") return [];
      const [mark, paint] = kind === "added" ? ["+", colours.green] : ["-", colours.red];
      return paint(`    ${mark} ${showControl(text.trim())}`);
    });
    const own = record.file.endsWith(".local.json") ? ", which is yours alone: git should ignore it" : "";
    return [...line(`${settings} in ${showPath(record.file, environment)}${own}`), ...changed];
  });
  return [...atAgents, ...[...new Set(inConfig)].flatMap((text) => said(text, layout))];
}

type Ends = Readonly<Record<"from" | "to", string>>;

function endsOf({ from, to }: Ends, { isBack }: { readonly isBack?: true | undefined }): Ends {
  return isBack ? { from: to, to: from } : { from, to };
}

/** Says who no longer loads the skill, or loads it again; then who still does, and how to stop that. */
export function agentLines(
  plan: SwitchPlan,
  layout: Layout,
  refusing: readonly string[] = [],
): readonly string[] {
  const { name, action, steps, remaining, projectOnly, asked = name } = plan;
  const { environment, colours } = layout;
  const words = asked.startsWith("/") ? pathArgument(asked, environment) : shellArgument(asked);
  const undo = `skillet enable ${words}${projectOnly === true ? " --project" : ""}`;
  const left = new Set(remaining.flatMap(({ agents }) => agents));
  const agentsOf = (some: readonly SwitchStep[]): readonly string[] =>
    [...new Set(some.flatMap(({ record }) => record.agents))].filter(
      (id) => !left.has(id) && !refusing.includes(id),
    );
  const gone = agentsOf(steps.filter(({ isBack }) => isBack !== true));
  const back = agentsOf(steps.filter(({ isBack }) => isBack === true && action !== "remove"));
  const lines = [
    ...(gone.length > 0 ? said(`${titles(gone)} no longer ${verbFor(gone)} ${name}.`, layout) : []),
    ...(back.length > 0 ? said(`${titles(back)} ${verbFor(back)} ${name} again.`, layout) : []),
  ];
  if (steps.some(({ isBack }) => isBack !== true) && action !== "enable")
    lines.push(...said("To undo this:", layout), `    ${colours.cyan(showControl(undo))}`);
  return [...lines, ...remainingLines(plan, layout)];
}

const verbFor = ({ length }: readonly string[]): string => (length === 1 ? "loads" : "load");

/** Says who still loads the skill, or is still not told of it, and how to change that. */
export function remainingLines({ name, action, remaining }: SwitchPlan, layout: Layout): readonly string[] {
  const { environment, colours } = layout;
  return remaining.flatMap(({ agents, place, reason, remedy }) => {
    const who =
      action === "enable"
        ? `${titles(agents) || name}: not changed`
        : `${titles(agents)} still ${verbFor(agents)} ${name} from ${showPath(place, environment)}`;
    return said(`${who}: ${reason}. ${remedy}`, layout, `${colours.yellow("!")} `);
  });
}

/** Lists other skills of the name that agents still load, because the user may have meant those, too. */
export function namesakeLines(context: CommandContext, skills: Skills, others: readonly Skill[]): string[] {
  const { readersOf } = openAgentsOf(context, skills);
  return others.flatMap((one) => {
    const { who, stop } = loadedBy(one, readersOf(one)) ?? {};
    const text = `Another skill called ${one.name} lies in ${one.directory}: ${who}. To stop that: ${stop}`;
    return who === undefined ? [] : said(text, context.terminal);
  });
}

/** Formats a sentence below the line that it is about. */
export const said = (text: string, layout: Layout, lead = "  "): string[] =>
  hang(showSentence(text, layout.environment), layout, { indent: 2, lead });

export function titles(ids: readonly string[]): string {
  const named = ids.map((id) => stripControl(AGENTS.find((agent) => agent.id === id)?.title ?? id));
  return named.length > 4 ? listFirst(named, 4) : listAll(named);
}

export function agentDocument({ steps, remaining }: SwitchPlan): Readonly<Record<string, unknown>> {
  const ofAgents = steps.filter(({ record }) => record.kind !== "config");
  return {
    agents: ofAgents.map(({ record, setting }) => ({
      agents: record.agents,
      ...(record.kind === "edit" && { file: record.file, setting }),
      ...(record.kind === "move" && { from: record.from, to: record.to }),
      ...(record.kind === "target" && { target: record.target.path }),
    })),
    ...(remaining.length > 0 && { stillLoading: remaining }),
  };
}

/** Where the skill of a step is; if its scan failed, it does not count as safe either. */
export type Dangers = ReadonlyMap<SwitchStep, { readonly folder: string; readonly isScanned: boolean }>;

/** Finds steps that let agents load a skill again that is neither cleared by the scan nor approved. */
export async function dangerousSteps(
  context: CommandContext,
  steps: readonly SwitchStep[],
  plugins: string,
): Promise<Dangers> {
  const { home } = resolveHome(context.environment);
  const moves = steps.flatMap(({ record }) => (record.kind === "move" ? [record] : []));
  // Where the skill is now; a moved link leads nowhere, and its target has a step of its own.
  const folderOf = ({ record, isBack }: SwitchStep): string | undefined => {
    if (isBack !== true || record.kind === "config") return undefined;
    if (record.kind === "edit" && record.hooks !== undefined) return undefined;
    if (record.kind === "target") return join(plugins, record.entry);
    if (record.kind === "edit") return dirname(record.skillFile);
    if (isInside(record.from, join(home, "disabled"))) return undefined;
    // A skill that was removed while disabled comes from where its removal put it.
    return moves.find(({ from }) => from === record.to)?.to ?? record.to;
  };
  const found = steps.flatMap((step) => {
    const folder = folderOf(step);
    return folder !== undefined && existsSync(folder) ? [[step, folder] as const] : [];
  });
  const skillsRoots = [...new Set(found.map(([, folder]) => folder))];
  if (found.length === 0) return new Map();
  const skills = await openRegistry({ ...context, skillsRoots }, { cached: false });
  const shown = skills.snapshot.skills;
  const facts = await vetShown(context, skills, shown, { maxScanned: shown.length });
  const dangers = found.flatMap(([step, folder]) => {
    const isHere = (file: string): boolean => isInside(canonicalPath(file), canonicalPath(folder));
    const here = shown.filter(({ path, alsoAt }) => [path, ...alsoAt].some(isHere));
    const verdicts = here.map((one) => (facts.get(one)?.approved ? "safe" : facts.get(one)?.verdict));
    const isScanned = here.length > 0 && !verdicts.some((one) => one === undefined || one === "unknown");
    return isScanned && !verdicts.includes("dangerous") ? [] : [[step, { folder, isScanned }] as const];
  });
  return new Map(dangers);
}
