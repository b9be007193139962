import type { ExitCode } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { withHub } from "../hub/with-hub.ts";
import { printJson } from "../ui/json-document.ts";
import { stripControl } from "../ui/strip-control.ts";

/** Keeps updates away from a skill, with a reason for whoever wonders later. */
export async function pin(
  context: CommandContext,
  options: { readonly name: string; readonly reason: string; readonly project?: boolean },
): Promise<ExitCode> {
  const { terminal, json } = context;
  const { name, reason, project = false } = options;
  return withHub(context, { project }, async ({ hub, progress }) => {
    const { source, resolved, digest } = await hub.pin(name, reason);
    progress.clear();
    if (json)
      printJson(terminal, { results: [{ name, source, resolved, digest, outcome: "pinned", reason }] });
    else
      terminal.print(
        `${terminal.colours.green("✓")} ${stripControl(name)} stays as it is: ${stripControl(reason)}`,
      );
    return 0;
  });
}

/** Lets a skill be updated again. */
export async function unpin(
  context: CommandContext,
  { name, project = false }: { readonly name: string; readonly project?: boolean },
): Promise<ExitCode> {
  const { terminal, json } = context;
  return withHub(context, { project }, async ({ hub, progress }) => {
    const before = (await hub.list()).skills.get(name);
    const wasPinned = before === undefined || before.pinned !== undefined;
    // Whatever is not installed is refused there.
    const { source, resolved, digest } = wasPinned ? await hub.unpin(name) : before;
    progress.clear();
    const outcome = wasPinned ? "unpinned" : "unchanged";
    if (json) printJson(terminal, { results: [{ name, source, resolved, digest, outcome }] });
    else if (!wasPinned)
      terminal.print(
        `${terminal.colours.dim("○")} ${stripControl(name)} was not pinned; nothing was changed`,
      );
    else terminal.print(`${terminal.colours.green("✓")} ${stripControl(name)} is no longer pinned`);
    return 0;
  });
}
