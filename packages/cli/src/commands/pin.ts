import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { withHub } from "../hub/with-hub.ts";
import { printJson } from "../output/json-document.ts";
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
