import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { codeSpans, markdownBlocks, type TextRange } from "@skillet/kit/markdown";
import { cutText } from "@skillet/kit/text";
import type { Decision } from "../../policy/decision.ts";
import { prepareCommand } from "./prepare-command.ts";
import {
  checkArguments,
  checkRendered,
  type Substituted,
  type Substitution,
  substituteArguments,
} from "./substitute-arguments.ts";

/**
 * Values in a command are parameters of its shell; neither values nor outputs are expanded again. Arguments
 * that appear nowhere in the text, nor in a command that ran, are appended.
 */
export async function renderBody(
  body: string,
  substitution: Substitution,
  options: RunCommandsOptions,
): Promise<{ readonly text: string; readonly diagnostics: readonly Diagnostic[] }> {
  checkArguments(substitution.arguments);
  const found = findCommands(body);
  const commands = found.slice(0, MAX_CONTEXT_COMMANDS);
  const diagnostics: Diagnostic[] = [];
  let text = "";
  let done = 0;
  let usesArguments = false;
  const addProse = (end: number): void => {
    const prose = substituteArguments(body.slice(done, end), substitution);
    text += prose.text;
    usesArguments ||= prose.usesArguments;
    checkRendered(text.length);
  };
  for (const { start, end, command } of commands) {
    addProse(start);
    const { output, problem } = await runCommand(command, substitution, options);
    text += output?.text ?? body.slice(start, end);
    usesArguments ||= output?.usesArguments === true;
    if (problem !== undefined) diagnostics.push(describeProblem(command, problem, options.file));
    done = end;
  }
  addProse(body.length);
  if (found.length > commands.length) diagnostics.push(tooMany(options.file));
  const raw = substitution.arguments;
  const isUnused = raw !== undefined && raw !== "" && !usesArguments;
  return { text: isUnused ? `${text.trimEnd()}\n\nARGUMENTS: ${raw}` : text, diagnostics };
}

function tooMany(file: string): Diagnostic {
  const message = `The skill has more than ${MAX_CONTEXT_COMMANDS} commands; those after the first ${MAX_CONTEXT_COMMANDS} were not run.`;
  const hint = "Put several commands into one block, or into a script of the skill.";
  return diagnostic("warning", "context-command", file, message, hint);
}

interface RunCommandsOptions {
  readonly exec: ExecCommand | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The policy's decision about a command with its values; only `allow` runs it, without asking the user. */
  readonly decide: (command: string) => Decision;
  readonly shell: string;
  readonly workingDirectory: string;
  readonly file: string;
}

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_CHARACTERS = 4_000;

async function runCommand(
  written: string,
  substitution: Substitution,
  { exec, decide, shell, workingDirectory, signal }: RunCommandsOptions,
): Promise<{ readonly output?: Substituted; readonly problem?: string }> {
  signal?.throwIfAborted();
  if (exec === undefined) return { problem: "the host does not run commands" };
  const prepared = prepareCommand(written, substitution);
  if ("problem" in prepared) return prepared;
  const { command, judged, parameters, usesArguments } = prepared;
  if (parameters.length > 0 && !POSIX_SHELLS.has(shell))
    return { problem: `values cannot be passed to ${shell}` };
  const decision = decide(judged);
  if (decision.outcome !== "allow") return { problem: decision.reason };
  const limits = { timeoutMs: TIMEOUT_MS, maxOutputCharacters: MAX_OUTPUT_CHARACTERS };
  const request = { shell, command, arguments: parameters, workingDirectory, ...limits, signal };
  const result = await exec(request).catch(
    // A failed command must not fail the activation: the other instructions are still useful.
    (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
  );
  if ("failure" in result)
    return { problem: `it could not be run: ${cutText(result.failure, MAX_REASON_CHARACTERS)}` };
  const text = cutText(result.output, MAX_OUTPUT_CHARACTERS).trimEnd();
  const problem = problemOf(result);
  return { output: { text, usesArguments }, ...(problem !== undefined && { problem }) };
}

const MAX_REASON_CHARACTERS = 200;

// Shells that read references to parameters as they are written here.
const POSIX_SHELLS: ReadonlySet<string> = new Set(["bash", "sh", "dash", "zsh", "ksh"]);

function problemOf({ timedOut, exitCode, output }: ExecResult): string | undefined {
  if (timedOut) return `it took longer than ${TIMEOUT_MS / 1000} seconds`;
  if (exitCode !== 0) return `it ended with ${exitCode}`;
  const isCut = output.length > MAX_OUTPUT_CHARACTERS;
  return isCut ? `its output was cut after ${MAX_OUTPUT_CHARACTERS} characters` : undefined;
}

const MAX_SHOWN_CHARACTERS = 80;

function describeProblem(written: string, problem: string, file: string): Diagnostic {
  const message = `The command ${JSON.stringify(cutText(written, MAX_SHOWN_CHARACTERS))} of this skill: ${problem}.`;
  const hint = "Allow it in the session's policy, or run it yourself and say what it printed.";
  return diagnostic("warning", "context-command", file, message, hint);
}

interface ContextCommand extends TextRange {
  readonly command: string;
}

export const MAX_CONTEXT_COMMANDS = 20;

/**
 * Finds `` !`command` `` at the start of a line or after a blank, and blocks fenced with ```` ```! ````
 * outside of lists and quotes; at most one more than may run.
 *
 * Examples in code are text, and so is anything after a backslash.
 */
export function findCommands(body: string): ContextCommand[] {
  const commands: ContextCommand[] = [];
  if (!TRACE.test(body)) return commands;
  for (const command of commandsOf(body)) if (commands.push(command) > MAX_CONTEXT_COMMANDS) break;
  return commands;
}

// Most skills have no commands, and then nothing needs parsing.
const TRACE = /!`|`!/;

function* commandsOf(body: string): Generator<ContextCommand> {
  for (const block of markdownBlocks(body)) {
    if (block.kind !== "code" && block.kind !== "html") yield* spanCommands(body, block.lines);
    else if (block.isTopLevelFence && block.info === "!" && body.charAt(block.start) === "`") {
      const command = block.lines.map(({ start, end }) => `${body.slice(start, end)}\n`).join("");
      if (command.trim() !== "") yield { start: block.start, end: block.end, command };
    }
  }
}

function* spanCommands(body: string, lines: readonly TextRange[]): Generator<ContextCommand> {
  let index = 0;
  for (const { start, end, ticks } of codeSpans(body, lines)) {
    while ((lines[index]?.end ?? Number.POSITIVE_INFINITY) <= start) index++;
    const line = lines[index];
    const mark = start - 1;
    if (line === undefined || ticks !== 1 || end > line.end || mark < line.start) continue;
    if (body.charAt(mark) !== "!" || !(mark === line.start || /[ \t]/.test(body.charAt(mark - 1)))) continue;
    const command = body.slice(start + 1, end - 1);
    if (command.trim() !== "") yield { start: mark, end, command };
  }
}

/** A command line of a skill, for a shell that the host starts: core does not start processes. */
export interface ExecRequest {
  readonly shell: string;
  /** Refers to `arguments` as `"${1}"` and so on; run it as `shell -c command shell arguments…`. */
  readonly command: string;
  /** The shell's parameters, never to be put into the command's text. */
  readonly arguments: readonly string[];
  readonly workingDirectory: string;
  readonly timeoutMs: number;
  readonly maxOutputCharacters: number;
  /** Aborts with the activation; end the command then. */
  readonly signal?: AbortSignal | undefined;
}

/** A command's output and exit code. */
export interface ExecResult {
  readonly exitCode: number | undefined;
  readonly output: string;
  readonly timedOut: boolean;
}

/** Runs a command for dynamic context. */
export type ExecCommand = (request: ExecRequest) => Promise<ExecResult>;
