import type { ExecutedScript, ScriptRun, Session, Skills } from "@skillet/core";
import { suggestNames } from "@skillet/core/internal";
import { shellArgument } from "@skillet/kit/text";
import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { lookUpSkill } from "../context/open-registry.ts";
import { diagnosticRow, printJson } from "../ui/json-document.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import { stripControl, wrap } from "../ui/text.ts";
import { placeFlags, type RunCommandOptions, runCommandLine } from "./open-script-runner.ts";

/** Says how a script ended; its own output was shown while it ran, or is in the document. */
export function reportRun(context: CommandContext, run: ExecutedScript): ExitCode {
  const { terminal } = context;
  const succeeded = run.status === "executed" && run.exitCode === 0;
  if (context.json) {
    printJson(terminal, { ...run, diagnostics: run.diagnostics.map(diagnosticRow) });
    return succeeded ? 0 : 1;
  }
  warnDiagnostics(context, run.diagnostics);
  const colours = terminal.errors.colours;
  for (const line of succeeded ? [] : wrap(endingOf(run), { width: terminal.errors.width }))
    terminal.warn(colours.red(line));
  const missing = notGranted(run);
  for (const line of missing === undefined ? [] : wrap(missing, { width: terminal.errors.width }))
    terminal.warn(line);
  if (terminal.isErrorTerminal)
    for (const line of wrap(summaryOf(run), { width: terminal.errors.width }))
      terminal.warn(colours.dim(line));
  return succeeded ? 0 : 1;
}

const LIMITS: Readonly<Record<NonNullable<ExecutedScript["limit"]>, string>> = {
  memory: "it used more memory than it may",
  cpu: "it used more processor time than it may",
  "file-size": "it wrote a larger file than it may",
  output: "it wrote more output than it may",
};

function endingOf({ path, status, exitCode, signal, limit, durationMs }: ExecutedScript): string {
  const script = stripControl(path);
  if (status === "cancelled") return `${script} was cancelled.`;
  if (status === "timed-out")
    return `${script} was ended after ${seconds(durationMs)}. --timeout MS gives it more, up to 600000.`;
  const reason = limit === undefined ? "" : `: ${LIMITS[limit]}`;
  if (exitCode === undefined) return `${script} was ended by ${signal ?? "a signal"}${reason}.`;
  return `${script} ended with exit code ${exitCode}${reason}.`;
}

// A script says what failed, but cannot know that it would not have with a grant.
function notGranted({ status, exitCode, limit, sandbox, grants }: ExecutedScript): string | undefined {
  if (status !== "executed" || exitCode === 0 || limit !== undefined || sandbox.strength === "none")
    return undefined;
  const lacks = [
    ...(grants?.writable.length === 0 ? ["writing (--writable DIR)"] : []),
    ...(grants?.network.length === 0 ? ["the network (--network HOST)"] : []),
  ];
  return lacks.length === 0 ? undefined : `Not granted: ${lacks.join(", ")}.`;
}

function summaryOf({ runtime, sandbox, durationMs }: ExecutedScript): string {
  const { backend, place, strength, weaknesses } = sandbox;
  const machine = place === undefined ? "" : ` on ${place}`;
  const where = `${strength === "none" ? "without a sandbox" : `in ${backend}`}${machine}`;
  const but = strength === "reduced" ? `. ${weaknesses.join(" ")}` : "";
  return stripControl(`${runtime} ${where}, ${seconds(durationMs)}${but}`);
}

function seconds(durationMs: number): string {
  return durationMs < 995 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}

type RefusedRun = Extract<ScriptRun, { readonly status: "refused" }>;

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
  return ["skillet", ...words, ...placeFlags(context)].map(shellArgument).join(" ");
}
