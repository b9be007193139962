import { resolve } from "node:path";
import type { DependencyAnswer, ExecutedScript, ScriptRun, Session, Skill, Skills } from "@skillet/core";
import { suggestNames } from "@skillet/core/internal";
import { shellArgument } from "@skillet/kit/text";
import { CliError, didYouMean } from "../context/cli-error.ts";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { createAsk, refusal, yesNeeded } from "../context/create-ask.ts";
import { Interruption } from "../context/interruption.ts";
import { findSkill, lookUpSkill, openRegistry } from "../context/open-registry.ts";
import { createLiveOutput } from "../run/live-output.ts";
import {
  openScriptRunner,
  placeFlags,
  type RunCommandOptions,
  runCommandLine,
} from "../run/open-script-runner.ts";
import { printJson } from "../ui/json-document.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import { hang, stripControl } from "../ui/text.ts";

/** Runs a skill's script in a sandbox, with what the command line grants and nothing else. */
export async function runScript(context: CommandContext, options: RunCommandOptions): Promise<ExitCode> {
  const { secret = [] } = options;
  const secrets = grantedSecrets(secret, context);
  const runner = openScriptRunner(context, options);
  const skills = await openRegistry(withoutSecrets(context, secret));
  const skill = findSkill(skills, options.name, context.workspace);
  if (skill !== undefined) {
    requireDeclared(secret, skill);
    const withheld = describeWithheld(secret, skill, context);
    if (withheld !== undefined) context.terminal.warn(stripControl(withheld));
  }
  const desk = createAsk(context, { yes: options.yes ?? false, secrets, named: skill?.qualifiedName });
  const session = await skills.session({
    interactive: true,
    ask: desk.ask,
    runner,
    ...(options.profile !== undefined && { profile: options.profile }),
    ...(options.records !== undefined && { records: resolve(context.workspace, options.records) }),
  });
  const { run, exitCode } = await recorded(session, options, () =>
    loadAndRun(context, session, { skill, options }),
  );
  if (run.status === "refused") {
    const question = desk.unanswered();
    if (question !== undefined)
      throw yesNeeded("Running the script", runCommandLine(context, options, "--yes"), question.reason);
    return reportRefusal(context, run, { session, skills, options });
  }
  const own = reportRun(context, run);
  return exitCode ?? own;
}

// Whatever comes of it, the artefacts of a recorded run are written.
async function recorded<Result>(
  session: Session,
  { records }: RunCommandOptions,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } finally {
    if (records !== undefined) await session.endTurn();
  }
}

interface Ended {
  readonly run: ScriptRun;
  readonly exitCode: ExitCode | undefined;
}

async function loadAndRun(
  context: CommandContext,
  session: Session,
  { skill, options }: { readonly skill: Skill | undefined; readonly options: RunCommandOptions },
): Promise<Ended> {
  if (skill === undefined) return start(context, session, options);
  const { qualifiedName } = skill;
  const given = options.secret && (await session.askForDependencies([qualifiedName]));
  const why = await load(session, skill);
  // Of a skill that cannot be loaded, the reason for that is worth more.
  if (given !== undefined && why === undefined) requireTaken(options.secret ?? [], given);
  const ended = await start(context, session, { ...options, name: qualifiedName });
  const { run } = ended;
  // The session does not tell models why they cannot have a skill; whoever runs the command may know.
  const isUnloaded =
    run.status === "refused" && (run.code === "skill_not_found" || run.code === "skill_not_activated");
  return why !== undefined && isUnloaded ? { ...ended, run: { ...run, message: why } } : ended;
}

/**
 * Naming a script on the command line loads its skill; whether the script may run is another question. Gives the reason
 * where the skill cannot be loaded: then the session refuses the script too.
 */
async function load(session: Session, skill: Skill): Promise<string | undefined> {
  const source = skill.manifest.invocation.user ? "user" : "model";
  try {
    await session.activate(skill.qualifiedName, { source });
    return undefined;
  } catch (error) {
    const refused = refusal(error);
    if (refused === undefined) throw error;
    return refused.message;
  }
}

async function start(
  context: CommandContext,
  session: Session,
  { name, path, args, cwd, timeout }: RunCommandOptions,
): Promise<Ended> {
  const live = context.json ? undefined : createLiveOutput(context.terminal);
  const interruption = new Interruption(context);
  try {
    const run = await session.run(name, path, args, {
      signal: interruption.signal,
      ...(live && { onOutput: live.onOutput }),
      ...(cwd !== undefined && { cwd }),
      ...(timeout !== undefined && { timeoutMs: timeout }),
    });
    return { run, exitCode: interruption.exitCode };
  } catch (error) {
    const { exitCode } = interruption;
    if (exitCode === undefined || !interruption.explains(error)) throw error;
    throw new CliError("script-cancelled", `${stripControl(path)} was cancelled before it ran.`, {
      exitCode,
    });
  } finally {
    live?.end();
    interruption.release();
  }
}

/** The values of the variables that a command line grants; each must be set here. */
function grantedSecrets(
  names: readonly string[],
  { environment }: Pick<CommandContext, "environment">,
): Readonly<Record<string, string>> {
  const granted: Record<string, string> = Object.create(null);
  for (const name of names) {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined || value === "")
      throw new CliError(
        "secret-missing",
        `The variable ${name} is not set here, so it cannot be passed on.`,
        {
          hints: [
            "Set it for this one command, from where you keep it; do not write its value on the command line.",
          ],
          details: { name },
        },
      );
    granted[name] = value;
  }
  return granted;
}

/** A variable is passed to the skill that asks for it in its header, and to no other. */
function requireDeclared(names: readonly string[], { manifest, qualifiedName }: Skill): void {
  const declared = manifest.gating.env.map(({ name }) => name);
  const odd = names.find((name) => !declared.includes(name));
  if (odd === undefined) return;
  const hint = declared.length === 0 ? "It declares none." : `It declares: ${declared.join(", ")}`;
  throw new CliError("secret-undeclared", `${qualifiedName} does not declare the variable ${odd}.`, {
    hints: [hint],
    details: { name: odd, declared },
  });
}

/** Says which variables a skill asks for and are set here, but stay here: its script finds them empty. */
function describeWithheld(
  names: readonly string[],
  { manifest, qualifiedName }: Skill,
  { environment }: Pick<CommandContext, "environment">,
): string | undefined {
  const withheld = manifest.gating.env
    .map(({ name }) => name)
    .filter((name) => !names.includes(name) && Object.hasOwn(environment, name) && environment[name] !== "");
  const [first] = withheld;
  if (first === undefined) return undefined;
  const flags = withheld.map((name) => `--secret ${name}`).join(" ");
  return `${qualifiedName} asks for ${withheld.join(", ")}, set here but not passed on. To pass: ${flags}`;
}

/** A grant that the session did not take must not go by unnoticed. */
function requireTaken(names: readonly string[], { provided }: DependencyAnswer): void {
  const left = names.find((name) => !provided.includes(name));
  if (left === undefined) return;
  throw new CliError("secret-not-taken", `The variable ${left} was not taken for the skill.`, {
    hints: ["Leave it out, or see what the skill asks for: skillet explain"],
    details: { name: left },
  });
}

/**
 * The context in which the granted variables are not set: a session asks for what is missing, and what it is given
 * then reaches the script and nothing else.
 */
function withoutSecrets(context: CommandContext, names: readonly string[]): CommandContext {
  const kept = Object.entries(context.environment).filter(([name]) => !names.includes(name));
  return { ...context, environment: Object.fromEntries(kept) };
}

/** Says how a script ended; its own output was shown while it ran, or is in the document. */
function reportRun(context: CommandContext, run: ExecutedScript): ExitCode {
  const { terminal } = context;
  const { errors } = terminal;
  const succeeded = run.status === "executed" && run.exitCode === 0;
  if (context.json) printJson(terminal, { ...run });
  else {
    warnDiagnostics(context, run.diagnostics);
    terminal.warn([
      ...hang(succeeded ? "" : endingOf(run), errors, { paint: errors.colours.red }),
      ...hang(notGranted(run), errors),
      ...hang(terminal.isErrorTerminal ? summaryOf(run) : "", errors, { paint: errors.colours.dim }),
    ]);
  }
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
function notGranted({ status, exitCode, limit, sandbox, grants }: ExecutedScript): string {
  if (status !== "executed" || exitCode === 0 || limit !== undefined || sandbox.strength === "none")
    return "";
  const lacks = [
    ...(grants?.writable.length === 0 ? ["writing (--writable DIR)"] : []),
    ...(grants?.network.length === 0 ? ["the network (--network HOST)"] : []),
  ];
  return lacks.length === 0 ? "" : `Not granted: ${lacks.join(", ")}.`;
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
async function reportRefusal(
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
      return didYouMean(near, `See what there is: ${commandAbout(context, "show")}`);
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
  return didYouMean(suggestNames(path, scripts), `See its files: ${commandAbout(context, "explain", skill)}`);
}

function commandAbout(context: CommandContext, ...words: readonly string[]): string {
  return ["skillet", ...words, ...placeFlags(context)].map(shellArgument).join(" ");
}
