import { resolve } from "node:path";
import type { ScriptRun, Session, Skill, Skills } from "@skillet/core";
import { CliError } from "../cli-error.ts";
import type { CommandContext, Interrupt } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { openRegistry } from "../open-registry.ts";
import { lookUpSkill, resolveSkill } from "../resolve-skill.ts";
import { grantedSecrets, requireDeclared, requireTaken, withoutSecrets } from "../run/granted-secrets.ts";
import { createLiveOutput } from "../run/live-output.ts";
import { openScriptRunner } from "../run/open-script-runner.ts";
import { type RefusedRun, reportRefusal } from "../run/report-refusal.ts";
import { reportRun } from "../run/report-run.ts";
import { runCommandLine } from "../run/run-command-line.ts";
import type { RunCommandOptions } from "../run/run-command-options.ts";
import { type AskDesk, createAsk } from "../session/create-ask.ts";
import { refusal } from "../session/refusal.ts";

const SIGNALLED: Readonly<Record<Interrupt, ExitCode>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Runs a skill's script in a sandbox, with what the command line grants and nothing else. */
export async function runScript(context: CommandContext, options: RunCommandOptions): Promise<ExitCode> {
  const { secret = [] } = options;
  const secrets = grantedSecrets(secret, context);
  const runner = openScriptRunner(context, options);
  const skills = await openRegistry(withoutSecrets(context, secret));
  const skill = findSkill(skills, context, options);
  if (skill !== undefined) requireDeclared(secret, skill);
  const desk = createAsk(context, { yes: options.yes ?? false, secrets });
  const session = await skills.session({
    interactive: true,
    ask: desk.ask,
    runner,
    ...(options.profile !== undefined && { profile: options.profile }),
    ...(options.records !== undefined && { records: resolve(context.workspace, options.records) }),
  });
  if (skill !== undefined) {
    if (secret.length > 0) requireTaken(secret, await session.askForDependencies([skill.qualifiedName]));
    const refused = await load(session, skill, options.path);
    if (refused !== undefined) return reportRefusal(context, refused, { session, skills, options });
  }
  const { interrupt, run } = await start(context, session, {
    ...options,
    name: skill?.qualifiedName ?? options.name,
  });
  if (options.records !== undefined) await session.endTurn();
  if (run.status === "refused") {
    requireAnswer(desk, context, options);
    return reportRefusal(context, run, { session, skills, options });
  }
  const exitCode = reportRun(context, run);
  return interrupt === undefined ? exitCode : SIGNALLED[interrupt];
}

function findSkill(skills: Skills, context: CommandContext, { name }: RunCommandOptions): Skill | undefined {
  const found = lookUpSkill(skills, name, context.workspace);
  if (found.kind === "ambiguous") return resolveSkill(skills, name, context.workspace);
  return found.kind === "found" ? found.skill : undefined;
}

// Naming a script on the command line loads its skill; whether the script may run is another question.
async function load(session: Session, skill: Skill, path: string): Promise<RefusedRun | undefined> {
  const source = skill.manifest.invocation.user ? "user" : "model";
  try {
    await session.activate(skill.qualifiedName, { source });
    return undefined;
  } catch (error) {
    const refused = refusal(error);
    if (refused === undefined) throw error;
    const { qualifiedName } = skill;
    const { message } = refused;
    return {
      type: "skillet.run-skill-script-output",
      skill: qualifiedName,
      path,
      status: "refused",
      code: "skill_not_activated",
      message,
    };
  }
}

async function start(
  context: CommandContext,
  session: Session,
  { name, path, args, cwd, timeout }: RunCommandOptions,
): Promise<{ readonly run: ScriptRun; readonly interrupt: Interrupt | undefined }> {
  const stdin = await context.readInput?.((notice) => context.terminal.warn(notice));
  const live = context.json ? undefined : createLiveOutput(context.terminal);
  const controller = new AbortController();
  let interrupt: Interrupt | undefined;
  const release = context.onInterrupt?.((signal) => {
    // The terminal wrote ^C; what follows stands on a line of its own.
    if (interrupt === undefined && context.terminal.isErrorTerminal) context.terminal.warn();
    // Asked a second time, the command no longer waits for the end.
    if (interrupt !== undefined) release?.();
    interrupt ??= signal;
    controller.abort();
  });
  try {
    const run = await session.run(name, path, args, {
      signal: controller.signal,
      ...(live && { onOutput: live.onOutput }),
      ...(stdin && stdin.length > 0 && { stdin }),
      ...(cwd !== undefined && { cwd }),
      ...(timeout !== undefined && { timeoutMs: timeout }),
    });
    return { run, interrupt };
  } finally {
    live?.end();
    release?.();
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
