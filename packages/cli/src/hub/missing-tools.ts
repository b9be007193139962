import type { Plan, ToolPlan, ToolResult, ToolStep } from "@skillet/hub";
import type { CommandContext } from "../context/command-context.ts";
import { loadInstalling } from "../load-beside.ts";
import { wrap } from "../ui/fit-text.ts";
import { showSentence } from "../ui/show-path.ts";
import { stripControl } from "../ui/strip-control.ts";
import { warnDiagnosticsOf } from "./report-results.ts";
import type { HubWork } from "./with-hub.ts";

/** Shows how the commands that skills need and this machine lacks would be installed; runs nothing. */
export async function showMissingTools(
  context: CommandContext,
  { hub }: HubWork,
  plan: Plan,
): Promise<ToolPlan> {
  const tools = await hub.planTools({ names: [], plan });
  if (context.json) return tools;
  warnDiagnosticsOf(context, tools.diagnostics);
  const { terminal, environment } = context;
  for (const step of tools.steps) {
    const line = `${step.skill} needs ${step.bins.join(", ")}, which is missing: ${describe(step)}`;
    for (const part of wrap(showSentence(line, environment), { width: terminal.width - 2 }))
      terminal.print(`  ${part}`);
  }
  if (tools.steps.length > 0) terminal.print();
  return tools;
}

/** Installs missing tools, each after a yes; where nobody is there, only with a yes beforehand. */
export async function installMissingTools(
  { terminal, json }: CommandContext,
  { hub, progress, canAsk }: HubWork,
  { tools, accepted }: { readonly tools: ToolPlan; readonly accepted: boolean },
): Promise<readonly ToolResult[]> {
  if (tools.steps.length === 0) return [];
  if (!accepted && !canAsk) {
    if (!json) terminal.warn("Tools are missing; to install them as shown, repeat the command with --tools.");
    return [];
  }
  const results = await hub.runTools(tools, { accepted });
  progress.clear();
  if (json) return results;
  for (const { step, outcome, reason } of results) {
    terminal.print(`${outcome === "installed" ? "✓" : "✗"} ${stripControl(step.label)}  ${outcome}`);
    if (outcome === "failed" && reason !== undefined)
      for (const line of wrap(stripControl(reason), { width: terminal.width - 4, maxLines: 8 }))
        terminal.print(`    ${line}`);
  }
  return results;
}

/** The steps as documents have them, with what became of each. */
export function toolRows(
  { steps }: ToolPlan,
  results: readonly ToolResult[],
): readonly Readonly<Record<string, unknown>>[] {
  return steps.map((step) => {
    const result = results.find((one) => one.step === step);
    return {
      ...step,
      outcome: result?.outcome ?? "planned",
      ...(result?.reason !== undefined && { reason: result.reason }),
    };
  });
}

function describe(step: ToolStep): string {
  return loadInstalling().describeStep(step);
}
