import type { Skills } from "@skillet/core";
import type { FindInstalled, InstalledSource } from "@skillet/hub";
import type { CommandContext } from "../command-context.ts";
import { readInstalled } from "../scan/open-vetter.ts";
import { showPin } from "./show-pin.ts";

/** Finds where the installed skills of a registry came from, by the user's own lock. */
export function findInstalledOf(
  context: Pick<CommandContext, "terminal">,
  { home, config }: Pick<Skills, "home" | "config">,
): Promise<FindInstalled> {
  return readInstalled(context, { home, trustedSources: config.config.scan.trustedSources });
}

/** `from anthropics/skills@pdf (a1b2c3d)`; undefined for what nobody installed. */
export function installedWords(installed: InstalledSource | undefined): string | undefined {
  if (installed === undefined) return undefined;
  const { source, resolved, pinned } = installed;
  const pin = resolved.kind === "local" ? "" : ` (${showPin(resolved)})`;
  return `from ${source}${pin}${pinned === undefined ? "" : `, pinned: ${pinned}`}`;
}
