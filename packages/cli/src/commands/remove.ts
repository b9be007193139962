import type { Hub } from "@skillet/hub";
import { SkilletError } from "@skillet/kit/errors";
import { CliError } from "../context/cli-error.ts";
import { againWith, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { keepSkillsLock } from "../hub/plan-import.ts";
import {
  isRefusal,
  type ResultRow,
  reportResults,
  showTarget,
  warnDiagnosticsOf,
} from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { count, stripControl } from "../ui/text.ts";

interface RemoveOptions extends Flags<"project" | "discard" | "dryRun" | "yes" | "keepGoing"> {
  readonly names: readonly string[];
}

/** Removes installed skills from every folder they were placed in; their versions stay kept. */
export async function remove(context: CommandContext, options: RemoveOptions): Promise<ExitCode> {
  const { names, project = false, dryRun = false, yes = false } = options;
  const { terminal, environment, confirm, json } = context;
  return withHub(context, { project, dryRun }, async (work) => {
    const { hub, progress } = work;
    const { root } = hub;
    const report = { root, dryRun, nothing: "There was nothing to remove." };
    const planned = await removeEach(context, hub, { ...options, dryRun: true });
    if (dryRun) return reportResults(context, { ...report, rows: planned });
    const going = planned.filter((row) => !isRefusal(row));
    if (!yes && going.length > 0) {
      if (confirm !== undefined && !json)
        for (const { name, targets = [] } of going)
          terminal.print(
            `  ${stripControl(name)}  ${targets.map((one) => showTarget(one, { root, environment })).join(", ")}`,
          );
      const question = `Remove ${count(going.length, "skill")}?`;
      if (!(await confirmChange(context, question, { undone: "removed", details: { names } }))) {
        terminal.print("Nothing was changed.");
        return 1;
      }
    }
    const before = new Map([...(await hub.list()).skills].filter(([name]) => names.includes(name)));
    const rows = await removeEach(context, hub, { ...options, dryRun: false });
    progress.clear();
    const diagnostics = await keepSkillsLock(work, before, []);
    warnDiagnosticsOf(context, diagnostics);
    return reportResults(context, { ...report, rows, diagnostics });
  });
}

// Anything else is a fault of the machine, which would stop the others too.
const isInTheWay = (error: unknown): error is SkilletError =>
  SkilletError.isInstance(error) && (error.code === "not-installed" || error.code === "edited");

async function removeEach(
  context: CommandContext,
  hub: Hub,
  { names, discard: discardEdits = false, keepGoing = false, dryRun = false }: RemoveOptions,
): Promise<readonly ResultRow[]> {
  const rows: ResultRow[] = [];
  // All of them or none; with `--keep-going` each by itself.
  for (const some of keepGoing ? names.map((name) => [name]) : [names])
    try {
      rows.push(...(await hub.remove({ discardEdits, dryRun, names: some })));
    } catch (error) {
      if (!isInTheWay(error) || names.length === 1) throw error;
      const { code, message: reason, data: details } = error;
      const again = [
        "Nothing was removed. To remove what can be removed:",
        `  ${againWith(context, "--keep-going")}`,
      ];
      const hints = [...(code === "edited" ? ["Pass --discard to lose the edits."] : []), ...again];
      if (!keepGoing) throw new CliError(code, reason, { exitCode: 1, hints, details });
      rows.push({ name: some.join(), source: "", outcome: "refused", reason });
    }
  return rows;
}
