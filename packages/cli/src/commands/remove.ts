import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { keepSkillsLock } from "../hub/keep-up.ts";
import { placesOf } from "../hub/plan-summary.ts";
import { reportResults, warnDiagnosticsOf } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { count, stripControl } from "../ui/text.ts";

/** Which skills go, and what was said beforehand. */
export interface RemoveOptions {
  readonly names: readonly string[];
  readonly project?: boolean;
  readonly discard?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Removes installed skills from every folder they were placed in; their versions stay kept. */
export async function remove(context: CommandContext, options: RemoveOptions): Promise<ExitCode> {
  const { names, project = false, discard = false, dryRun = false, yes = false } = options;
  const { terminal, environment, confirm, json } = context;
  return withHub(context, { project, dryRun }, async (work) => {
    const { hub, progress } = work;
    const { root } = hub;
    const nothing = "There was nothing to remove.";
    const planned = await hub.remove({ names, discardEdits: discard, dryRun: true });
    if (dryRun) return reportResults(context, { rows: planned, root, dryRun, nothing });
    if (!yes) {
      if (confirm === undefined || json)
        throw new CliError(
          "confirmation-needed",
          "Nothing was removed: this needs confirmation, and there is no terminal to ask on.",
          {
            hints: ["Look with --dry-run, then repeat the command with --yes."],
            details: { names },
          },
        );
      for (const { name, targets = [] } of planned)
        terminal.print(`  ${stripControl(name)}  ${placesOf(targets, { root, environment })}`);
      if (!(await confirm(`Remove ${count(planned.length, "skill")}?`))) {
        terminal.print("Nothing was changed.");
        return 1;
      }
    }
    const before = new Map([...(await hub.list()).skills].filter(([name]) => names.includes(name)));
    const rows = await hub.remove({ names, discardEdits: discard, dryRun: false });
    progress.clear();
    const diagnostics = await keepSkillsLock(work, { before, items: [] });
    warnDiagnosticsOf(context, diagnostics);
    return reportResults(context, { rows, root, dryRun, diagnostics, nothing });
  });
}
