import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { toggleSkills } from "../toggle/toggle-skills.ts";

/** Stops offering skills to models, by writing the user's config or the project's. */
export function disable(
  context: CommandContext,
  options: { readonly names: readonly string[]; readonly project?: boolean },
): Promise<ExitCode> {
  const layer = options.project === true ? "project" : "user";
  return toggleSkills(context, { names: options.names, enabled: false, layer });
}
