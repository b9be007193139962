import { AGENTS } from "@skillet/core/internal";
import type { SwitchStep } from "@skillet/hub";
import { listFirst, shellArgument } from "@skillet/kit/text";
import type { CommandContext } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, showControl, showPath, showSentence, stripControl } from "../ui/text.ts";
import type { SwitchPlan } from "./plan-switch.ts";

/** Shows what would be changed at agents, exactly; asks before a folder is moved. Returns whether to go on. */
export async function confirmAgentChanges(
  context: CommandContext,
  plans: readonly SwitchPlan[],
  { yes, dryRun }: { readonly yes: boolean; readonly dryRun: boolean },
): Promise<boolean> {
  const { terminal, json } = context;
  const steps = plans.flatMap((plan) => plan.steps.map((step) => ({ plan, step })));
  if (!json) for (const { plan, step } of steps) terminal.print(stepLines(plan, step, terminal));
  if (dryRun) return false;
  const isMove = ({ plan, step }: (typeof steps)[0]): boolean =>
    plan.action !== "enable" && step.record.kind !== "edit";
  const moves = steps.filter(isMove).length;
  if (yes || moves === 0) return true;
  const what = moves === 1 ? "this folder" : `these ${moves} folders`;
  const question = `Move ${what} into Skillet's store? \`skillet enable\` puts everything back.`;
  return confirmChange(context, question, { details: { changes: plans.map(agentDocument) } });
}

function stepLines(plan: SwitchPlan, { record, setting }: SwitchStep, layout: Layout): string[] {
  const { environment, colours } = layout;
  const who = titles(record.agents);
  const line = (text: string): string[] =>
    hang(showSentence(text, environment), layout, { indent: 2, lead: "  " });
  if (record.kind === "target") return line(`${who}: ${record.target.path} goes, as its lock says`);
  if (record.kind === "move") {
    const [from, to] = plan.action === "enable" ? [record.to, record.from] : [record.from, record.to];
    return line(`${who}: ${showPath(from, environment)} moves to ${showPath(to, environment)}`);
  }
  const file = showPath(record.file, environment);
  const shown = (mark: string, text: string): string[] =>
    text.split("\n").flatMap((one) => (one.trim() === "" ? [] : [`    ${mark} ${showControl(one.trim())}`]));
  const lines = record.changes.flatMap(({ removed, inserted }) => {
    // To undo a change is to take away what it inserted; a setting of the user's own was inserted by no change.
    const [gone, added] =
      plan.action === "enable" && inserted !== "" ? [inserted, removed] : [removed, inserted];
    return [...shown("-", gone).map(colours.red), ...shown("+", added).map(colours.green)];
  });
  return [...line(`${who}: ${setting} in ${file}`), ...lines];
}

/** Who loads the skill no longer, or again, and by what; then who still does, and how to stop that. */
export function agentLines(plan: SwitchPlan, layout: Layout): readonly string[] {
  const { name, action, steps, remaining } = plan;
  const { environment, colours } = layout;
  const isBack = action === "enable";
  const said = (text: string, lead = "  "): string[] =>
    hang(showSentence(text, environment), layout, { indent: 2, lead });
  const lines = steps.flatMap(({ record, setting }) => {
    const how =
      record.kind === "edit"
        ? `${setting} in ${showPath(record.file, environment)}`
        : record.kind === "target"
          ? record.target.path
          : showPath(record.from, environment);
    const verb = record.agents.length === 1 ? "loads" : "load";
    const loads = isBack ? `${verb} ${name} again` : `no longer ${verb} ${name}`;
    const who = record.agents.length === 0 ? "" : `${titles(record.agents)} ${loads}`;
    if (record.kind !== "move") return said(`${who} (${how})`);
    return said(`${who || name}: ${isBack ? "it is back in" : "it was taken out of"} ${how}`);
  });
  const moved = !isBack && steps.some(({ record }) => record.kind === "move");
  if (moved)
    lines.push(...said("To put it back:"), `    ${colours.cyan(`skillet enable ${shellArgument(name)}`)}`);
  for (const { agents, place, reason, remedy } of remaining) {
    const verb = agents.length === 1 ? "loads" : "load";
    const who = isBack
      ? `${titles(agents) || name}: not changed`
      : `${titles(agents)} still ${verb} ${name} from ${showPath(place, environment)}`;
    lines.push(...said(`${who}: ${reason}. ${remedy}`, `${colours.yellow("!")} `));
  }
  return lines;
}

function titles(ids: readonly string[]): string {
  const named = ids.map((id) => stripControl(AGENTS.find((agent) => agent.id === id)?.title ?? id));
  return named.length === 2 ? named.join(" and ") : listFirst(named, 4);
}

/** The same for programs. */
export function agentDocument({ steps, remaining }: SwitchPlan): Readonly<Record<string, unknown>> {
  return {
    agents: steps.map(({ record, setting }) => ({
      agents: record.agents,
      ...(record.kind === "edit" && { file: record.file, setting }),
      ...(record.kind === "move" && { from: record.from, to: record.to }),
      ...(record.kind === "target" && { target: record.target.path }),
    })),
    ...(remaining.length > 0 && { stillLoading: remaining }),
  };
}
