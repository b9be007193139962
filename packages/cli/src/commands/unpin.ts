import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { withHub } from "../hub/with-hub.ts";
import { printJson } from "../output/json-document.ts";
import { stripControl } from "../ui/strip-control.ts";

/** Lets a skill be updated again. */
export async function unpin(
  context: CommandContext,
  { name, project = false }: { readonly name: string; readonly project?: boolean },
): Promise<ExitCode> {
  const { terminal, json } = context;
  return withHub(context, { project }, async ({ hub, progress }) => {
    const { source, resolved, digest } = await hub.unpin(name);
    progress.clear();
    if (json) printJson(terminal, { results: [{ name, source, resolved, digest, outcome: "unpinned" }] });
    else terminal.print(`${terminal.colours.green("✓")} ${stripControl(name)} is no longer pinned`);
    return 0;
  });
}
