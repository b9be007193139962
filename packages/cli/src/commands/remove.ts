import type { CommandContext, ExitCode, Flags } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { keepSkillsLock } from "../hub/plan-import.ts";
import { reportResults, showTarget, warnDiagnosticsOf } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { count, stripControl } from "../ui/text.ts";

interface RemoveOptions extends Flags<"project" | "discard" | "dryRun" | "yes"> {
  readonly names: readonly string[];
}

/** Removes installed skills from every folder they were placed in; their versions stay kept. */
export async function remove(context: CommandContext, options: RemoveOptions): Promise<ExitCode> {
  const { names, project = false, discard = false, dryRun = false, yes = false } = options;
  const { terminal, environment, confirm, json } = context;
  return withHub(context, { project, dryRun }, async (work) => {
    const { hub, progress } = work;
    const { root } = hub;
    const report = { root, dryRun, nothing: "There was nothing to remove." };
    const planned = await hub.remove({ names, discardEdits: discard, dryRun: true });
    if (dryRun) return reportResults(context, { ...report, rows: planned });
    if (!yes) {
      if (confirm !== undefined && !json)
        for (const { name, targets = [] } of planned)
          terminal.print(
            `  ${stripControl(name)}  ${targets.map((one) => showTarget(one, { root, environment })).join(", ")}`,
          );
      const question = `Remove ${count(planned.length, "skill")}?`;
      if (!(await confirmChange(context, question, { undone: "removed", details: { names } }))) {
        terminal.print("Nothing was changed.");
        return 1;
      }
    }
    const before = new Map([...(await hub.list()).skills].filter(([name]) => names.includes(name)));
    const rows = await hub.remove({ names, discardEdits: discard, dryRun: false });
    progress.clear();
    const diagnostics = await keepSkillsLock(work, before, []);
    warnDiagnosticsOf(context, diagnostics);
    return reportResults(context, { ...report, rows, diagnostics });
  });
}
