import { type ScriptRun, type Session, type Skills, suggestNames } from "@skillet/core";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { printJson } from "../output/json-document.ts";
import { lookUpSkill } from "../resolve-skill.ts";
import { shellQuote } from "../ui/shell-quote.ts";
import { placeFlags, runCommandLine } from "./run-command-line.ts";
import type { RunCommandOptions } from "./run-command-options.ts";

/** A run that was refused; nothing of the script ran. */
export type RefusedRun = Extract<ScriptRun, { readonly status: "refused" }>;

interface Circumstances {
  readonly session: Session;
  readonly skills: Skills;
  readonly options: RunCommandOptions;
}

/** Says why a script was not run and what to do next; the answer is no. */
export async function reportRefusal(
  context: CommandContext,
  refused: RefusedRun,
  circumstances: Circumstances,
): Promise<ExitCode> {
  const hints = await refusalHints(context, refused, circumstances);
  if (context.json) {
    printJson(context.terminal, { ...refused, hints });
    return 1;
  }
  const { code, message }: { readonly code: string; readonly message: string } = refused;
  throw new CliError(code, `${code}: ${message}`, { exitCode: 1, hints });
}

async function refusalHints(
  context: CommandContext,
  refused: RefusedRun,
  { session, skills, options }: Circumstances,
): Promise<readonly string[]> {
  const { skill, path } = refused;
  switch (refused.code) {
    case "skill_not_found": {
      const found = lookUpSkill(skills, options.name, context.workspace);
      if (found.kind === "found")
        return [`See why: ${commandAbout(context, "explain", found.skill.qualifiedName)}`];
      const near = found.kind === "unknown" ? found.suggestions : [];
      return near.length > 0
        ? [`Did you mean ${near.join(" or ")}?`]
        : [`See what there is: ${commandAbout(context, "show")}`];
    }
    case "skill_not_activated":
      return [`See why: ${commandAbout(context, "explain", skill)}`];
    case "script_not_allowlisted":
      return [
        "To let it run this once, in the sandbox:",
        `  ${runCommandLine(context, options, "--allow", `${skill}:${path}`)}`,
      ];
    case "script_not_indexed":
      return scriptHints(context, session, refused);
    case "resource_not_script":
      return ["Give it a first line such as #!/usr/bin/env bash, or an ending such as .sh or .py."];
    default:
      return [];
  }
}

async function scriptHints(
  context: CommandContext,
  session: Session,
  { skill, path }: RefusedRun,
): Promise<readonly string[]> {
  const files = await session.resources(skill);
  const scripts = files.filter(({ script }) => script !== undefined).map((resource) => resource.path);
  if (scripts.length === 0) return [`${skill} has no scripts.`];
  const near = suggestNames(path, scripts);
  return near.length > 0
    ? [`Did you mean ${near.join(" or ")}?`]
    : [`See its files: ${commandAbout(context, "explain", skill)}`];
}

function commandAbout(context: CommandContext, ...words: readonly string[]): string {
  return ["skillet", ...words, ...placeFlags(context)].map(shellQuote).join(" ");
}
