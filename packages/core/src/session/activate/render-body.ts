import type { Diagnostic } from "@skillet/kit/diagnostics";
import { checkArguments, checkRendered } from "../arguments/argument-limits.ts";
import type { Substitution } from "../arguments/find-tokens.ts";
import { substituteArguments } from "../arguments/substitute-arguments.ts";
import { findCommands, MAX_CONTEXT_COMMANDS } from "../dynamic-context/find-commands.ts";
import { type RunCommandsOptions, runCommands } from "../dynamic-context/run-commands.ts";

/** A body with arguments, variables and the output of its commands in their places. */
export interface RenderedBody {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Fills in a skill's instructions: arguments, variables, and the output of commands.
 *
 * Values in a command are parameters of its shell, and neither values nor outputs are looked at again. Arguments that stand
 * nowhere in the text, and in no command that was run, are added at its end.
 */
export async function renderBody(
  body: string,
  substitution: Substitution,
  options: RunCommandsOptions,
): Promise<RenderedBody> {
  checkArguments(substitution.arguments);
  const found = findCommands(body);
  const commands = found.slice(0, MAX_CONTEXT_COMMANDS);
  const { outputs, diagnostics } = await runCommands(commands, substitution, options);
  let text = "";
  let done = 0;
  let usesArguments = false;
  const add = (end: number): void => {
    const prose = substituteArguments(body.slice(done, end), substitution);
    text += prose.text;
    usesArguments ||= prose.usesArguments;
    checkRendered(text.length);
  };
  for (const [index, { start, end }] of commands.entries()) {
    add(start);
    const output = outputs[index];
    text += output?.text ?? body.slice(start, end);
    usesArguments ||= output?.usesArguments === true;
    done = end;
  }
  add(body.length);
  const raw = substitution.arguments;
  const isUnused = raw !== undefined && raw !== "" && !usesArguments;
  return {
    text: isUnused ? `${text.trimEnd()}\n\nARGUMENTS: ${raw}` : text,
    diagnostics: found.length > commands.length ? [...diagnostics, tooMany(options.file)] : diagnostics,
  };
}

function tooMany(file: string): Diagnostic {
  return {
    code: "context-command",
    severity: "warning",
    message: `The skill has more than ${MAX_CONTEXT_COMMANDS} commands; those behind the first ${MAX_CONTEXT_COMMANDS} were not run.`,
    file,
    hint: "Put several commands into one block, or into a script of the skill.",
  };
}
