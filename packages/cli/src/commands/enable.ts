import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { toggleSkills } from "../toggle-skills.ts";

/** Offers skills to models again, by writing the user's config. */
export function enable(
  context: CommandContext,
  options: { readonly names: readonly string[] },
): Promise<ExitCode> {
  return toggleSkills(context, { names: options.names, enabled: true, layer: "user" });
}
