import type { Standing } from "@skillet/hub";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { showPin, showRef } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { printJson } from "../ui/json-document.ts";
import type { Colours } from "../ui/terminal.ts";
import { showSentence, stripControl, wrap } from "../ui/text.ts";

/** Which skills are asked about. */
export interface OutdatedOptions {
  readonly names: readonly string[];
  readonly project?: boolean;
  readonly exitCode?: boolean;
}

/** Says which installed skills have newer versions; nothing is changed. */
export async function outdated(context: CommandContext, options: OutdatedOptions): Promise<ExitCode> {
  const { names, project = false, exitCode = false } = options;
  return withHub(context, { project }, async ({ hub, progress }) => {
    const standings = await hub.outdated(names);
    progress.clear();
    if (context.json) printJson(context.terminal, { results: standings.map(rowOf) });
    else print(context, standings, { project });
    return exitCode && standings.some(({ state }) => state === "outdated" || state === "unavailable") ? 1 : 0;
  });
}

function rowOf({
  name,
  source,
  installed,
  newest,
  state,
  reason,
}: Standing): Readonly<Record<string, unknown>> {
  return {
    name,
    source,
    resolved: installed,
    ...(newest !== undefined && { newest }),
    outcome: state,
    ...(reason !== undefined && { reason }),
  };
}

function print(
  { terminal, environment }: CommandContext,
  standings: readonly Standing[],
  { project }: { readonly project: boolean },
): void {
  const { colours, width } = terminal;
  if (standings.length === 0) terminal.print("Nothing is installed.");
  for (const { name, installed, newest, state, reason } of standings) {
    const ref = newest && showRef(newest);
    const [old, now] = [showPin(installed), newest && showPin(newest)];
    const pins =
      now === undefined || now === old || state === "current"
        ? old
        : `${old} > ${now}${ref === undefined ? "" : ` [${ref}]`}`;
    const same = state === "current" && now !== undefined && now !== old ? `: same files at ${now}` : "";
    terminal.print(
      `${markOf(state, colours)} ${colours.bold(stripControl(name))}  ${stripControl(pins)}  ${state}${stripControl(same)}`,
    );
    if (reason !== undefined)
      for (const line of wrap(showSentence(reason, environment), { width: width - 4 }))
        terminal.print(`    ${line}`);
  }
  if (standings.some(({ state }) => state === "outdated"))
    terminal.print(`Bring them up to date: skillet update${project ? " --project" : ""}`);
}

function markOf(state: Standing["state"], colours: Colours): string {
  if (state === "current") return colours.green("✓");
  if (state === "outdated") return colours.yellow("!");
  return state === "unavailable" ? colours.red("✗") : colours.dim("○");
}
