import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { printJson } from "../output/json-document.ts";

/** Prints the version, as `--version` does, or in a document. */
export async function version(context: CommandContext): Promise<ExitCode> {
  if (context.json) printJson(context.terminal, { version: context.version });
  else context.terminal.print(context.version);
  return 0;
}
