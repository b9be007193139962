import type { Allowance } from "@skillet/hub";
import { refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type OfName } from "../context/command-context.ts";
import { allowedWords } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { hang, stripControl } from "../ui/text.ts";

// The list includes hooks for all events, because other agents run those.
const RUN_BY_HOSTS =
  "Hosts that support hooks run those for SessionStart, PreToolUse and PostToolUse; Skillet runs no others.";

type AllowOptions = OfName<"hooks" | "mcp" | "none" | "project">;

/** Lists everything it turns on, because the summary of the install is no longer on the screen. */
export async function allow(context: CommandContext, options: AllowOptions): Promise<ExitCode> {
  const { name, hooks = false, mcp = false, none = false, project = false } = options;
  refuseUsage("allow", [
    [none && (hooks || mcp), "--none turns everything off, so it cannot be combined with --hooks or --mcp."],
  ]);
  return withHub(context, { project }, async ({ hub }) => {
    const before = (await hub.list()).skills.get(name);
    const isQuestion = !none && !hooks && !mcp && before?.allowed !== undefined;
    const { entry, grants }: Allowance = isQuestion
      ? { entry: before, grants: [] }
      : await hub.allow(name, {
          hooks: hooks || (!none && before?.allowed?.hooks === true),
          mcpServers: mcp || (!none && before?.allowed?.mcpServers === true),
        });
    const asked = grants.filter(({ kind }) => (kind === "hooks" && hooks) || (kind === "mcpServers" && mcp));
    const { source, resolved, digest, allowed } = entry;
    const result = { name, source, resolved, digest, outcome: "noted", allowed, grants: asked };
    const { terminal } = context;
    return answer(context, { results: [result] }, () => [
      `${terminal.colours.green("✓")} ${stripControl(name)}: ${allowedWords(allowed)}`,
      ...asked.flatMap(({ text }) => hang(text, terminal, { indent: 4 })),
      ...hang(hooks ? RUN_BY_HOSTS : "", terminal),
    ]);
  });
}
