import { readdirSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { resolveHome } from "@skillet/core";
import { readSwitchRecords, type SwitchStep } from "@skillet/hub";
import { isInside } from "@skillet/kit/files";
import { answer, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { changeLines } from "../hub/agent-changes.ts";
import { planSwitches } from "../hub/plan-switch.ts";
import { withHub } from "../hub/with-hub.ts";
import { count, formatBytes, hang, showPath, stripControl } from "../ui/text.ts";
import { remove } from "./remove.ts";

const isEmptied = (folder: string, steps: readonly SwitchStep[]): boolean =>
  basename(folder) === "disabled" &&
  readdirSync(folder).every((name) =>
    steps.some(({ record }) => record.kind === "move" && isInside(record.to, join(folder, name))),
  );

export async function uninstall(
  context: CommandContext,
  options: OfNames<"discard" | "dryRun" | "yes">,
): Promise<ExitCode> {
  const { names: given, discard = false, dryRun = false, yes = false } = options;
  // As people know it from package managers.
  if (given.length > 0) return remove(context, options);
  const { terminal, environment, json } = context;
  // Nothing is cached on the way: it would be there again afterwards.
  return withHub(context, { dryRun: true }, async ({ hub, home }) => {
    const found = await hub.planUninstall();
    // Agents get back what was disabled: afterwards no command is left that could.
    const names = new Set((await readSwitchRecords(home)).map(({ skill }) => skill));
    const requests = Array.from(names, (name) => ({ action: "enable", name }) as const);
    const { steps: all } = await planSwitches({ ...resolveHome(environment), environment, hub }, requests);
    const removed = all.flatMap(({ record }) =>
      record.kind === "move" && isInside(record.to, join(home, "removed")) ? [record.from, record.to] : [],
    );
    const steps = all.filter(({ record }) => record.kind !== "move" || !removed.includes(record.to));
    // What is disabled comes back, and the list of it goes.
    const stays = (path: string): boolean =>
      removed.length > 0 || (path !== join(home, "disabled.json") && !isEmptied(path, steps));
    const plan = { ...found, kept: found.kept.filter(stays) };
    const { installed, leftovers, kept, projects } = plan;
    const show = (path: string): string =>
      showPath(isAbsolute(path) ? path : join(hub.root, path), environment);
    const bytes = leftovers.reduce((sum, one) => sum + one.bytes, 0);
    const report = (removed: boolean, lines: readonly string[], exitCode: ExitCode = 0): ExitCode =>
      answer(context, { home, removed, ...plan, bytes }, () => lines, exitCode);
    if (installed.length === 0 && leftovers.length === 0)
      return report(false, [`There is nothing of Skillet in ${show(home)}.`]);
    const places = installed.flatMap(({ targets }) =>
      targets.map((target) => `  ${stripControl(show(target))}`),
    );
    const lines = [
      ...(places.length > 0
        ? [`${count(installed.length, "installed skill")}, with every link and folder:`]
        : []),
      ...places,
      `Everything that Skillet keeps in ${show(home)} (${formatBytes(bytes)}): settings, trust, approvals, the audit log, earlier versions:`,
      ...leftovers.map(({ path }) => `  ${stripControl(show(path))}`),
      ...(kept.length > 0 ? [`These are yours and stay: ${kept.map(show).join(", ")}`] : []),
      ...projects.map((lock) => `It belongs to its project and stays: ${show(lock)}`),
    ];
    if (!json && steps.length > 0)
      terminal.print(["What was changed at your agents is undone:", ...changeLines(steps, terminal)]);
    if (!json)
      terminal.print(lines.flatMap((line) => (line.startsWith("  ") ? [line] : hang(line, terminal))));
    if (dryRun) return report(false, ["Nothing was changed: this was a dry run."]);
    const asked = { undone: "removed", details: { home } };
    if (!yes && !(await confirmChange(context, "Remove all of this?", asked)))
      return report(false, ["Nothing was changed."], 1);
    if (steps.length > 0) await hub.applySwitch({ action: "enable", steps });
    await hub.uninstall(await hub.planUninstall(), { discardEdits: discard });
    return report(true, [
      `${terminal.colours.green("✓")} Removed. The command itself goes with: npm uninstall --global skillet`,
    ]);
  });
}
