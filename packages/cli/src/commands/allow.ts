import type { Allowance } from "@skillet/hub";
import { CliError, type ExitCode } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { allowedWords } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { wrap } from "../ui/fit-text.ts";
import { printJson } from "../ui/json-document.ts";
import { stripControl } from "../ui/strip-control.ts";

/** Which active parts of a plugin may be used. */
export interface AllowOptions {
  readonly name: string;
  readonly hooks?: boolean;
  readonly mcp?: boolean;
  readonly none?: boolean;
  readonly project?: boolean;
}

/**
 * Lets the hooks or MCP servers of an installed plugin be used besides what may be already, or takes all of it back; with
 * neither, says what may be.
 *
 * All that it turns on is listed: a summary that somebody said yes to days ago is no longer on the screen.
 */
export async function allow(context: CommandContext, options: AllowOptions): Promise<ExitCode> {
  const { name, hooks = false, mcp = false, none = false, project = false } = options;
  if (none && (hooks || mcp))
    throw new CliError("usage", "--none takes everything back, so neither --hooks nor --mcp goes with it.", {
      hints: ["See: skillet help allow"],
    });
  return withHub(context, { project }, async ({ hub, progress }) => {
    const before = (await hub.list()).skills.get(name);
    if (!none && !hooks && !mcp && before?.allowed !== undefined) {
      progress.clear();
      return tell(context, { name, entry: before, grants: [] });
    }
    const { entry, grants } = await hub.allow(name, {
      hooks: hooks || (!none && before?.allowed?.hooks === true),
      mcpServers: mcp || (!none && before?.allowed?.mcpServers === true),
    });
    progress.clear();
    const asked = grants.filter(({ kind }) => (kind === "hooks" && hooks) || (kind === "mcpServers" && mcp));
    return tell(context, { name, entry, grants: asked });
  });
}

function tell(
  { terminal, json }: CommandContext,
  { name, entry, grants }: Allowance & { readonly name: string },
): ExitCode {
  const { source, resolved, digest, allowed } = entry;
  if (json) {
    printJson(terminal, { results: [{ name, source, resolved, digest, outcome: "noted", allowed, grants }] });
    return 0;
  }
  const { colours, width } = terminal;
  terminal.print(`${colours.green("✓")} ${stripControl(name)}: ${allowedWords(allowed)}`);
  for (const { text } of grants)
    for (const line of wrap(stripControl(text), { width: width - 4 })) terminal.print(`    ${line}`);
  return 0;
}
