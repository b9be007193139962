import type { CommandContext } from "../command-context.ts";
import { shellQuote } from "../ui/shell-quote.ts";
import type { RunCommandOptions } from "./run-command-options.ts";

/** The command as it was typed, with more flags, for messages that say what to type instead. */
export function runCommandLine(
  context: Pick<CommandContext, "skillsRoots" | "givenWorkspace" | "json">,
  options: RunCommandOptions,
  ...flags: readonly string[]
): string {
  const { name, path, args, timeout, yes } = options;
  const words = [
    "skillet",
    "run",
    name,
    path,
    ...placeFlags(context),
    ...repeat("--allow", options.allow),
    ...repeat("--profile", options.profile),
    ...repeat("--network", options.network),
    ...repeat("--writable", options.writable),
    ...repeat("--secret", options.secret),
    ...repeat("--timeout", timeout === undefined ? undefined : String(timeout)),
    ...repeat("--sandbox", options.sandbox),
    ...repeat("--cwd", options.cwd),
    ...repeat("--records", options.records),
    ...(yes === true ? ["--yes"] : []),
    ...(context.json ? ["--json"] : []),
    ...flags,
    ...(args.length > 0 ? ["--", ...args] : []),
  ];
  return words.map(shellQuote).join(" ");
}

/** What a command must be told to look where this one looked. */
export function placeFlags({
  skillsRoots,
  givenWorkspace,
}: Pick<CommandContext, "skillsRoots" | "givenWorkspace">): readonly string[] {
  return [...repeat("--workspace", givenWorkspace), ...repeat("--skills-root", skillsRoots)];
}

function repeat(flag: string, values: string | readonly string[] = []): readonly string[] {
  return [values].flat().flatMap((value) => [flag, value]);
}
