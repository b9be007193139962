import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { toggleSkills } from "../toggle/toggle-skills.ts";

/** Offers skills to models again, by writing the user's config or taking back what the project's disables. */
export function enable(
  context: CommandContext,
  options: { readonly names: readonly string[]; readonly project?: boolean },
): Promise<ExitCode> {
  const layer = options.project === true ? "project" : "user";
  return toggleSkills(context, { names: options.names, enabled: true, layer });
}
