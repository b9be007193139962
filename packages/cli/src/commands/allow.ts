import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { withHub } from "../hub/with-hub.ts";
import { printJson } from "../output/json-document.ts";
import { stripControl } from "../ui/strip-control.ts";

/** Which active parts of a plugin may be used. */
export interface AllowOptions {
  readonly name: string;
  readonly hooks?: boolean;
  readonly mcp?: boolean;
  readonly none?: boolean;
  readonly project?: boolean;
}

/** Lets the hooks or MCP servers of an installed plugin be used, or takes that back; what is not named is off. */
export async function allow(context: CommandContext, options: AllowOptions): Promise<ExitCode> {
  const { name, hooks = false, mcp = false, none = false, project = false } = options;
  if (none === (hooks || mcp))
    throw new CliError("usage", "Say what is allowed with --hooks and --mcp, or --none.", {
      hints: ["See: skillet help allow"],
    });
  const { terminal, json } = context;
  return withHub(context, { project }, async ({ hub, progress }) => {
    const { source, resolved, digest, allowed } = await hub.allow(name, { hooks, mcpServers: mcp });
    progress.clear();
    if (json)
      printJson(terminal, { results: [{ name, source, resolved, digest, outcome: "noted", allowed }] });
    else
      terminal.print(
        `${terminal.colours.green("✓")} ${stripControl(name)}: hooks ${hooks ? "on" : "off"}, MCP servers ${mcp ? "on" : "off"}`,
      );
    return 0;
  });
}
