import type { InstallRequest, Offer } from "@skillet/hub";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { pick } from "./pick.ts";
import type { ProgressLine } from "./progress-line.ts";

/** Lets a person choose what to install of a source that holds several; absent where nobody is there. */
export function chooseOffers(
  context: CommandContext,
  options: { readonly source: string; readonly progress: ProgressLine; readonly signal: AbortSignal },
): InstallRequest["choose"] {
  const { dialog, json } = context;
  if (dialog === undefined || json) return undefined;
  const { source, progress, signal } = options;
  return async (offers) => {
    progress.clear();
    const title = `${source} holds ${offers.length} skills and plugins. Which ones?`;
    const indexes = await pick(context, dialog, { title, items: offers.map(itemOf), signal });
    signal.throwIfAborted();
    if (indexes === undefined || indexes.length === 0)
      throw new CliError("nothing-chosen", "Nothing was chosen, so nothing was installed.", {
        exitCode: 1,
        hints: ["Name what you want with --skill NAME, or pass --all."],
      });
    return indexes.flatMap((index) => offers[index] ?? []);
  };
}

function itemOf({ name, description, kind, plugin }: Offer): {
  readonly name: string;
  readonly description: string;
  readonly note?: string;
} {
  const note = kind === "plugin" ? "plugin" : plugin === undefined ? undefined : `of ${plugin}`;
  return { name, description, ...(note !== undefined && { note }) };
}
