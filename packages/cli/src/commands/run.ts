import { constants } from "node:os";
import { basename, resolve } from "node:path";
import type { ExecutedScript, ScriptRun, Session, Skill } from "@skillet/core";
import { suggestNames } from "@skillet/core/internal";
import { present } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";
import { CliError, didYouMean, refusalError, refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, Interruption } from "../context/command-context.ts";
import { createAsk, refusal, yesNeeded } from "../context/create-ask.ts";
import { openRegistry, resolveSkill } from "../context/open-registry.ts";
import { vetShown } from "../context/vet-shown.ts";
import { tellEdited } from "../hub/installed-from.ts";
import { createLiveOutput } from "../run/live-output.ts";
import { missingGrants } from "../run/missing-grants.ts";
import {
  openScriptRunner,
  placeFlags,
  type RunCommandOptions,
  runCommandLine,
} from "../run/open-script-runner.ts";
import { withConsent } from "../run/script-consent.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import { verdictWords } from "../ui/skill-state.ts";
import { hang, showSentence, stripControl } from "../ui/text.ts";

/** Runs a skill's script in a sandbox with only the granted access; without a path, lists the scripts. */
export async function runOrListScripts(
  context: CommandContext,
  { path, ...options }: Omit<RunCommandOptions, "path"> & Partial<Pick<RunCommandOptions, "path">>,
): Promise<ExitCode> {
  if (path !== undefined) return runScript(context, { ...options, path });
  const skills = await openRegistry(context);
  const skill = resolveSkill(skills, options.name, context.workspace);
  const { qualifiedName: name } = skill;
  const { resources } = await skills.reader.indexResources(skill);
  const all = resources.flatMap(({ path: file, script: { runtime } = { runtime: "unknown" } }) => {
    const command = runCommandLine({ ...context, json: false }, { ...options, name, path: file });
    return runtime === "unknown" ? [] : [{ path: file, runtime, command }];
  });
  // Files in deeper folders are mostly modules of these scripts.
  const first = all.filter(({ path: file }) => file.split("/").length === 2);
  const scripts = first.length > 0 ? first : all;
  const [title, ...after] =
    scripts.length === 0
      ? [`${name} has no scripts.`]
      : [`Scripts of ${name}. To run one, with its own arguments after --:`, "Grants: `skillet help run`"];
  const lines = scripts.map(({ command, runtime }) => `  ${stripControl(command)}  (${runtime})`);
  const known = (await vetShown(context, skills, [skill])).get(skill);
  const isOdd = known?.verdict === "dangerous" || known?.withheld !== undefined;
  const danger = isOdd
    ? `${name} is ${verdictWords(known)}. What was found: skillet explain ${shellArgument(name)}`
    : "";
  const lead = `${context.terminal.colours.red("✗")} `;
  const shown = [
    ...hang(danger, context.terminal, { indent: 2, lead }),
    ...[...hang(title, context.terminal), ...lines, ...after],
  ];
  return answer(context, { skill: name, scripts }, () => shown, scripts.length === 0 ? 1 : 0);
}

async function runScript(context: CommandContext, options: RunCommandOptions): Promise<ExitCode> {
  const { secret = [], yes = false, profile, records, recordOutput = false } = options;
  refuseUsage("run", [[recordOutput && records === undefined, "--record-output needs --records DIR."]]);
  const runner = openScriptRunner(context, options);
  // The session does not see granted variables, so that it asks for them and only the script gets them.
  const environment = Object.fromEntries(
    Object.entries(context.environment).filter(([name]) => !secret.includes(name)),
  );
  const skills = await openRegistry({ ...context, environment });
  const skill = resolveSkill(skills, options.name, context.workspace);
  const secrets = grantedSecrets(secret, context, skill);
  await tellEdited(context, skills, skill);
  const consent = withConsent(context, options, { runner, skills, skill });
  const desk = createAsk(context, {
    yes,
    secrets,
    named: skill.qualifiedName,
    // One question is enough; a remembered answer does not count if a rule requires asking.
    isScriptAgreed: () => consent.answer() === "yes",
  });
  const session = await skills.session({
    interactive: true,
    ask: desk.ask,
    runner: consent.runner,
    ...(profile !== undefined && { profile }),
    ...(records !== undefined && { records: resolve(context.workspace, records), recordOutput }),
  });
  let ended: Ended;
  try {
    ended = await loadAndRun(context, session, { skill, options });
  } finally {
    // The artefacts of a recorded run are written even if it failed.
    if (records !== undefined) await session.turn().end();
  }
  const { run, exitCode } = ended;
  if (run.status !== "refused") {
    const own = reportRun(context, run, options);
    // A script that succeeds may not need the variables at all.
    if (own !== 0) context.terminal.warn(withheldWords(context, run, { secret, skill }));
    return exitCode ?? own;
  }
  const question = desk.unanswered();
  if (question !== undefined)
    throw yesNeeded("Running the script", runCommandLine(context, options, "--yes"), question.reason);
  const hints = consent.answer() === "no" ? [] : await refusalHints(context, run, { session, options });
  if (context.json) return answer(context, { ...run, hints }, () => [], 1);
  const { code, message }: { readonly code: string; readonly message: string } = run;
  const isPlain = consent.answer() === "no" || code === "skill-not-found";
  throw refusalError(code, isPlain ? message : `${code}: ${message}`, {}, hints);
}

interface Ended {
  readonly run: ScriptRun;
  readonly exitCode: ExitCode | undefined;
}

async function loadAndRun(
  context: CommandContext,
  session: Session,
  { skill, options }: { readonly skill: Skill; readonly options: RunCommandOptions },
): Promise<Ended> {
  const { qualifiedName: name } = skill;
  if (options.secret !== undefined) await session.askForDependencies([name]);
  const refused = await load(session, skill);
  const ended = await start(context, session, { ...options, name });
  const { run } = ended;
  if (refused === undefined || run.status !== "refused") return ended;
  // The session hides the reason from models and checks the path first, but the user needs the reason.
  const code = run.code === "skill-not-activated" ? run.code : "skill-not-found";
  return { ...ended, run: { ...run, code, message: refused } };
}

/** Returns the reason if the skill cannot be loaded; in that case the session also refuses the script. */
async function load(session: Session, skill: Skill): Promise<string | undefined> {
  try {
    const source = skill.manifest.invocation.user ? "user" : "model";
    await session.activate(skill.qualifiedName, { source });
    return undefined;
  } catch (error) {
    const refused = refusal(error);
    if (refused === undefined) throw error;
    return refused.message.replace(/ See: skillet explain \S+$/, "");
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
    const limits = present({ onOutput: live?.onOutput, cwd, timeoutMs: timeout });
    const run = await session.run(name, path, args, { signal: interruption.signal, ...limits });
    return { run, exitCode: interruption.exitCode };
  } catch (error) {
    const { exitCode } = interruption;
    if (exitCode === undefined || !interruption.explains(error)) throw error;
    const message = `${stripControl(path)} was cancelled before it ran.`;
    throw new CliError("script-cancelled", message, { exitCode });
  } finally {
    live?.end();
    interruption.release();
  }
}

const SET_SECRET =
  "Set it for this one command, from where you keep it; do not write its value on the command line.";

/** Returns the variables to pass. A skill gets only variables that it declares. */
function grantedSecrets(
  names: readonly string[],
  { environment }: CommandContext,
  skill: Skill,
): Readonly<Record<string, string>> {
  const declared = declaredBy(skill);
  const granted: Record<string, string> = Object.create(null);
  for (const name of names) {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined || value === "") {
      const message = `The variable ${name} is not set here, so it cannot be passed on.`;
      throw new CliError("secret-missing", message, { hints: [SET_SECRET], details: { name } });
    }
    if (!declared.includes(name))
      throw new CliError(
        "secret-undeclared",
        `${skill.qualifiedName} does not declare the variable ${name}.`,
        {
          hints: [
            declared.length === 0 ? "It declares none." : `It declares: ${declared.join(", ")}`,
            `If it needs ${name}, its SKILL.md has to say so: required-environment-variables: [${name}]`,
          ],
          details: { name, declared },
        },
      );
    granted[name] = value;
  }
  return granted;
}

const declaredBy = ({ manifest }: Skill): readonly string[] => manifest.gating.env.map(({ name }) => name);

/** Names variables that are set here but that a failed script lacked, by its skill's header or its output. */
function withheldWords(
  { environment, terminal }: CommandContext,
  { stdout, stderr }: ExecutedScript,
  { secret, skill }: { readonly secret: readonly string[]; readonly skill: Skill },
): readonly string[] {
  const isHeld = (name: string): boolean =>
    !secret.includes(name) && Object.hasOwn(environment, name) && environment[name] !== "";
  const withheld = declaredBy(skill).filter(isHeld);
  const asked = `${skill.qualifiedName} asks for ${withheld.join(", ")}, set here but not passed on. To pass:`;
  if (withheld.length > 0) return [[asked, ...withheld.map((name) => `--secret ${name}`)].join(" ")];
  const named = `${stderr}\n${stdout}`.match(VARIABLE)?.find(isHeld);
  if (named === undefined) return [];
  // The script chooses the name, so nothing is advised: its author declares what it needs.
  const why = `Its output names ${named}, which is set here, but was not passed on: ${skill.qualifiedName} does not declare it.`;
  return hang(why, terminal.errors);
}

const VARIABLE = /\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b/g;

function reportRun(context: CommandContext, run: ExecutedScript, options: RunCommandOptions): ExitCode {
  const { terminal, workspace, environment } = context;
  const { errors } = terminal;
  const succeeded = run.status === "executed" && run.exitCode === 0;
  const exitCode = answer(context, { ...run }, () => [], exitCodeOf(run));
  if (context.json) return exitCode;
  // For `--sandbox none` this was already shown.
  const told = options.sandbox === "none" ? "script-unconfined" : undefined;
  const untold = run.diagnostics.filter(({ code }) => code !== told);
  warnDiagnostics(context, untold);
  const { cwd, ...here } = options;
  const commandWith = (...flags: readonly string[]): string =>
    runCommandLine(context, flags.includes("--writable") ? { ...here, writable: [] } : options, ...flags);
  const missing = missingGrants(run, { workspace, home: environment.HOME, cwd, commandWith });
  terminal.warn([
    ...hang(succeeded ? "" : endingOf(run), errors, { paint: errors.colours.red }),
    ...missing.flatMap((text) => hang(showSentence(text, environment), errors)),
    ...hang(terminal.isErrorTerminal ? summaryOf(run) : "", errors, { paint: errors.colours.dim }),
  ]);
  return exitCode;
}

/** Returns the exit code of a script that finished, as a shell would report it; 1 if Skillet stopped it. */
function exitCodeOf({ status, exitCode, signal = "" }: ExecutedScript): ExitCode {
  if (status !== "executed") return 1;
  const number = new Map(Object.entries(constants.signals)).get(signal);
  return exitCode ?? (number === undefined ? 1 : 128 + number);
}

const LIMITS: Readonly<Record<NonNullable<ExecutedScript["limit"]>, string>> = {
  memory: "it needed more memory than the 1 GiB that a script gets, which no option raises",
  cpu: "it used more processor time than it may",
  "file-size": "it wrote a larger file than it may",
  output: "it wrote more output than it may",
};

function endingOf({ path, status, exitCode, signal, limit, durationMs }: ExecutedScript): string {
  const script = stripControl(path);
  if (status === "cancelled") return `${script} was cancelled.`;
  if (status === "timed-out")
    return `${script} was ended after ${seconds(durationMs)}. --timeout TIME gives it more, up to 10m.`;
  const how =
    exitCode === undefined ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
  return `${script} ${how}${limit === undefined ? "" : `: ${LIMITS[limit]}`}.`;
}

function summaryOf({ runtime, sandbox, durationMs }: ExecutedScript): string {
  const { backend, place, strength, weaknesses } = sandbox;
  const where = `${strength === "none" ? "without a sandbox" : `in ${backend}`}${place === undefined ? "" : ` on ${place}`}`;
  const but = strength === "reduced" ? `. ${weaknesses.join(" ")}` : "";
  return stripControl(`${runtime} ${where}, ${seconds(durationMs)}${but}`);
}

function seconds(durationMs: number): string {
  return durationMs < 995 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}

async function refusalHints(
  context: CommandContext,
  refused: Extract<ScriptRun, { readonly status: "refused" }>,
  { session, options }: { session: Session; options: RunCommandOptions },
): Promise<readonly string[]> {
  const { skill, path } = refused;
  const command = (...words: readonly string[]): string =>
    ["skillet", ...words, ...placeFlags(context)].map(shellArgument).join(" ");
  switch (refused.code) {
    case "skill-not-found":
    case "skill-not-activated":
      return [`See why: ${command("explain", skill)}`];
    case "script-not-allowlisted":
      return [
        `To let it run this once, ${options.sandbox === "none" ? "without a sandbox" : "in the sandbox"}:`,
        `  ${runCommandLine(context, options, "--allow", `${skill}:${path}`)}`,
      ];
    case "permission-denied":
      return refused.message.includes(`cannot be given ${context.workspace}: `)
        ? [
            "Choose the folder that it works in:",
            `  ${runCommandLine({ ...context, givenWorkspace: "DIR" }, options)}`,
          ]
        : [];
    case "script-path-invalid":
    case "script-not-indexed": {
      const files = await session.resources(skill);
      const scripts = files.filter(({ script }) => script !== undefined).map((file) => file.path);
      if (scripts.length === 0) return [`${skill} has no scripts.`];
      const meant = scripts.filter((script) => script === `scripts/${path}`);
      const near = scripts.filter((script) => suggestNames(basename(path), [basename(script)]).length > 0);
      return didYouMean(meant.length > 0 ? meant : near, `See its scripts: ${command("run", skill)}`);
    }
    case "resource-not-script":
      return ["Give it a first line such as #!/usr/bin/env bash, or an extension such as .sh or .py."];
    default:
      return [];
  }
}
