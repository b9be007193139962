import type { ExitCode } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { printJson } from "../ui/json-document.ts";

/** Prints the version, as `--version` does, or in a document. */
export async function version(context: CommandContext): Promise<ExitCode> {
  if (context.json) printJson(context.terminal, { version: context.version });
  else context.terminal.print(context.version);
  return 0;
}
