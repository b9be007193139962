import type { Diagnostic } from "@skillet/kit/diagnostics";
import { cutText } from "@skillet/kit/text";
import type { Decision } from "../../policy/decision.ts";
import type { Substitution } from "../arguments/find-tokens.ts";
import type { ExecCommand, ExecResult } from "./exec-command.ts";
import type { ContextCommand } from "./find-commands.ts";
import { prepareCommand } from "./prepare-command.ts";

/** How commands of a body are run. */
export interface RunCommandsOptions {
  readonly exec: ExecCommand | undefined;
  /** What policy says about a command, with values in their places; only a clear yes runs it, nobody is asked. */
  readonly decide: (command: string) => Decision;
  readonly shell: string;
  readonly workingDirectory: string;
  /** SKILL.md in diagnostics. */
  readonly file: string;
}

/** What a command printed. */
interface CommandOutput {
  readonly text: string;
  /** Whether an argument that was given was passed to it. */
  readonly usesArguments: boolean;
}

/** The outputs by command, and what was not run. */
export interface CommandOutputs {
  /** At the index of its command; undefined where the text stays as it is. */
  readonly outputs: readonly (CommandOutput | undefined)[];
  readonly diagnostics: readonly Diagnostic[];
}

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_CHARACTERS = 4_000;

/** Runs the commands of a body one after the other, as far as policy lets them. */
export async function runCommands(
  commands: readonly ContextCommand[],
  substitution: Substitution,
  options: RunCommandsOptions,
): Promise<CommandOutputs> {
  const outputs: (CommandOutput | undefined)[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { command } of commands) {
    const outcome = await runCommand(command, substitution, options);
    outputs.push(outcome.output);
    if (outcome.problem !== undefined)
      diagnostics.push(describeProblem(command, outcome.problem, options.file));
  }
  return { outputs, diagnostics };
}

interface Outcome {
  readonly output?: CommandOutput;
  readonly problem?: string;
}

async function runCommand(
  written: string,
  substitution: Substitution,
  { exec, decide, shell, workingDirectory }: RunCommandsOptions,
): Promise<Outcome> {
  if (exec === undefined) return { problem: "the host brings nothing to run commands with" };
  const prepared = prepareCommand(written, substitution);
  if ("problem" in prepared) return prepared;
  const { command, judged, parameters, usesArguments } = prepared;
  if (parameters.length > 0 && !POSIX_SHELLS.has(shell))
    return { problem: `values cannot be passed to ${shell}` };
  const decision = decide(judged);
  if (decision.outcome !== "allow") return { problem: decision.reason };
  const limits = { timeoutMs: TIMEOUT_MS, maxOutputCharacters: MAX_OUTPUT_CHARACTERS };
  const request = { shell, command, arguments: parameters, workingDirectory, ...limits };
  const result = await exec(request).catch(
    // Whatever kept the host from running it, the skill's other instructions still hold.
    (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
  );
  if ("failure" in result)
    return { problem: `it could not be run: ${cutText(result.failure, MAX_REASON_CHARACTERS)}` };
  const text = cutText(result.output, MAX_OUTPUT_CHARACTERS).trimEnd();
  const problem = problemOf(result);
  return { output: { text, usesArguments }, ...(problem !== undefined && { problem }) };
}

const MAX_REASON_CHARACTERS = 200;

// References to parameters are written as these read them.
const POSIX_SHELLS: ReadonlySet<string> = new Set(["bash", "sh", "dash", "zsh", "ksh"]);

function problemOf({ timedOut, exitCode, output }: ExecResult): string | undefined {
  if (timedOut) return `it took longer than ${TIMEOUT_MS / 1000} seconds`;
  if (exitCode !== 0) return `it ended with ${exitCode}`;
  const isCut = output.length > MAX_OUTPUT_CHARACTERS;
  return isCut ? `its output was cut after ${MAX_OUTPUT_CHARACTERS} characters` : undefined;
}

const MAX_SHOWN_CHARACTERS = 80;

function describeProblem(written: string, problem: string, file: string): Diagnostic {
  return {
    code: "context-command",
    severity: "warning",
    message: `The command ${JSON.stringify(cutText(written, MAX_SHOWN_CHARACTERS))} of this skill: ${problem}.`,
    file,
    hint: "Allow it in the session's policy, or run it yourself and say what it printed.",
  };
}
