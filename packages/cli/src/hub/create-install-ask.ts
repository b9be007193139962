import type { Ask } from "@skillet/core";
import type { CommandContext } from "../command-context.ts";
import { showSentence } from "../ui/show-path.ts";
import type { ProgressLine } from "./progress-line.ts";

/** The way to a person for what no flag such as `--yes` answers; absent where nobody is there, and beside a document. */
export function createInstallAsk(context: CommandContext, progress: ProgressLine): Ask | undefined {
  const { confirm, json, environment } = context;
  if (confirm === undefined || json) return undefined;
  return async ({ kind, skill, reason }) => {
    progress.clear();
    const sentence = showSentence(`${skill}: ${reason}`, environment);
    return {
      choice: (await confirm(`${sentence}. ${kind === "dependencies" ? "Run it?" : "Use it all the same?"}`))
        ? "yes"
        : "no",
    };
  };
}
