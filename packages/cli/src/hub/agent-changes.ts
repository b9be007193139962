import { AGENTS } from "@skillet/core/internal";
import { lineDiff, type SwitchStep } from "@skillet/hub";
import { listFirst, shellArgument } from "@skillet/kit/text";
import type { CommandContext } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, listAll, showControl, showPath, showSentence, stripControl } from "../ui/text.ts";
import type { SwitchPlan } from "./plan-switch.ts";

interface Confirming {
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** Those of all plans, in the order in which they are made. */
  readonly steps?: readonly SwitchStep[];
}

/** Shows what would be changed at agents, exactly, and asks unless it is an undoing. Returns whether to go on. */
export async function confirmAgentChanges(
  context: CommandContext,
  plans: readonly SwitchPlan[],
  { yes, dryRun, steps = plans.flatMap((plan) => plan.steps) }: Confirming,
): Promise<boolean> {
  const { terminal, json } = context;
  if (!json && steps.length > 0) terminal.print(changeLines(steps, terminal));
  if (dryRun) return false;
  const details = { changes: plans.map(agentDocument) };
  const asks = steps.filter(({ isBack, byHand }) => isBack !== true || byHand === true);
  if (yes || asks.length === 0) return true;
  if (asks.some(({ byHand }) => byHand === true))
    return confirmChange(
      context,
      "It was turned off there by you or another program, not by Skillet. Turn it on?",
      {
        details,
      },
    );
  const moves = steps.filter(({ record }) => record.kind !== "edit").length;
  const folders = moves === 1 ? "this folder" : `these ${moves} folders`;
  const asked = [
    ...(moves === 0 ? [] : [`move ${folders} into Skillet's store`]),
    ...(moves === steps.length ? [] : ["change these settings"]),
  ].join(" and ");
  const question = `${asked.charAt(0).toUpperCase()}${asked.slice(1)}? \`skillet enable\` puts everything back.`;
  return confirmChange(context, question, { details });
}

/** Each folder, and each settings file once, with all that changes in it. */
export function changeLines(steps: readonly SwitchStep[], layout: Layout): string[] {
  const { environment, colours } = layout;
  return steps.flatMap(({ record, setting, before = "", isBack }, index) => {
    const who = record.agents.length === 0 ? "" : `${titles(record.agents)}: `;
    const line = (text: string): string[] =>
      hang(showSentence(`${who}${text}`, environment), layout, { indent: 2, lead: "  " });
    if (record.kind === "target")
      return line(`${record.target.path} ${isBack ? "comes back" : "goes"}, as its lock says`);
    if (record.kind === "move") {
      const [from, to] = isBack ? [record.to, record.from] : [record.from, record.to];
      return line(`${showPath(from, environment)} moves to ${showPath(to, environment)}`);
    }
    const isSame = (one: SwitchStep): boolean =>
      one.record.kind === "edit" && one.record.file === record.file;
    if (steps.findIndex(isSame) < index) return [];
    const changed = lineDiff(before, steps.findLast(isSame)?.after ?? "").flatMap(({ kind, text }) => {
      if (kind === "same" || text.trim() === "") return [];
      const [mark, paint] = kind === "added" ? ["+", colours.green] : ["-", colours.red];
      return paint(`    ${mark} ${showControl(text.trim())}`);
    });
    return [...line(`${setting} in ${showPath(record.file, environment)}`), ...changed];
  });
}

/** Who loads the skill no longer, or again, and by what; then who still does, and how to stop that. */
export function agentLines(plan: SwitchPlan, layout: Layout): readonly string[] {
  const { name, action, steps, remaining } = plan;
  const { environment, colours } = layout;
  const said = (text: string, lead = "  "): string[] =>
    hang(showSentence(text, environment), layout, { indent: 2, lead });
  const lines = steps.flatMap(({ record, setting, isBack }) => {
    const how =
      record.kind === "edit"
        ? `${setting} in ${showPath(record.file, environment)}`
        : record.kind === "target"
          ? record.target.path
          : showPath(record.from, environment);
    const verb = record.agents.length === 1 ? "loads" : "load";
    const loads = isBack ? `${verb} ${name} again` : `no longer ${verb} ${name}`;
    const who = record.agents.length === 0 ? "" : `${titles(record.agents)} ${loads}`;
    if (action === "remove" && record.kind === "edit") return said(`${name} is no longer in ${how}`);
    if (record.kind !== "move") return said(`${who} (${how})`);
    return said(`${who || name}: ${isBack ? "it is back in" : "it was taken out of"} ${how}`);
  });
  if (steps.some(({ isBack }) => isBack !== true))
    lines.push(...said("To undo this:"), `    ${colours.cyan(`skillet enable ${shellArgument(name)}`)}`);
  for (const { agents, place, reason, remedy } of remaining) {
    const verb = agents.length === 1 ? "loads" : "load";
    const who =
      action === "enable"
        ? `${titles(agents) || name}: not changed`
        : `${titles(agents)} still ${verb} ${name} from ${showPath(place, environment)}`;
    lines.push(...said(`${who}: ${reason}. ${remedy}`, `${colours.yellow("!")} `));
  }
  // Several places of a skill are told of by one setting.
  return [...new Set(lines)];
}

export function titles(ids: readonly string[]): string {
  const named = ids.map((id) => stripControl(AGENTS.find((agent) => agent.id === id)?.title ?? id));
  return named.length > 4 ? listFirst(named, 4) : listAll(named);
}

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
