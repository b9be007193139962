import { resolve } from "node:path";
import type { DependencyAnswer, ScriptRun, Session, Skill, Skills } from "@skillet/core";
import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { type AskDesk, createAsk, refusal } from "../context/create-ask.ts";
import { Interruption } from "../context/interruption.ts";
import { lookUpSkill, openRegistry, resolveSkill } from "../context/open-registry.ts";
import { createLiveOutput } from "../run/live-output.ts";
import { openScriptRunner, type RunCommandOptions, runCommandLine } from "../run/open-script-runner.ts";
import { reportRefusal, reportRun } from "../run/report-run.ts";
import { stripControl } from "../ui/text.ts";

/** Runs a skill's script in a sandbox, with what the command line grants and nothing else. */
export async function runScript(context: CommandContext, options: RunCommandOptions): Promise<ExitCode> {
  const { secret = [] } = options;
  const secrets = grantedSecrets(secret, context);
  const runner = openScriptRunner(context, options);
  const skills = await openRegistry(withoutSecrets(context, secret));
  const skill = findSkill(skills, context, options);
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
    requireAnswer(desk, context, options);
    return reportRefusal(context, run, { session, skills, options });
  }
  const own = reportRun(context, run);
  return exitCode ?? own;
}

function findSkill(skills: Skills, context: CommandContext, { name }: RunCommandOptions): Skill | undefined {
  const found = lookUpSkill(skills, name, context.workspace);
  if (found.kind === "ambiguous") return resolveSkill(skills, name, context.workspace);
  return found.kind === "found" ? found.skill : undefined;
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

function requireAnswer(desk: AskDesk, context: CommandContext, options: RunCommandOptions): void {
  const question = desk.unanswered();
  if (question === undefined) return;
  throw new CliError(
    "confirmation-needed",
    `Running the script needs a yes, and there is no terminal to ask on: ${question.reason}.`,
    { hints: ["To say yes without being asked, run:", `  ${runCommandLine(context, options, "--yes")}`] },
  );
}

/** The values of the variables that a command line grants; each must be set here. */
export function grantedSecrets(
  names: readonly string[],
  { environment }: Pick<CommandContext, "environment">,
): Readonly<Record<string, string>> {
  const granted: Record<string, string> = Object.create(null);
  for (const name of names) {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined || value === "") throw unset(name);
    granted[name] = value;
  }
  return granted;
}

/** A variable is passed to the skill that asks for it in its header, and to no other. */
export function requireDeclared(names: readonly string[], { manifest, qualifiedName }: Skill): void {
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
export function describeWithheld(
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
export function requireTaken(names: readonly string[], { provided }: DependencyAnswer): void {
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
export function withoutSecrets(context: CommandContext, names: readonly string[]): CommandContext {
  const kept = Object.entries(context.environment).filter(([name]) => !names.includes(name));
  return { ...context, environment: Object.fromEntries(kept) };
}

function unset(name: string): CliError {
  return new CliError("secret-missing", `The variable ${name} is not set here, so it cannot be passed on.`, {
    hints: [
      "Set it for this one command, from where you keep it; do not write its value on the command line.",
    ],
    details: { name },
  });
}
