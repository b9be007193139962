import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { printJson } from "../output/json-document.ts";
import { showControl } from "../ui/strip-control.ts";
import type { Terminal } from "../ui/terminal.ts";
import { type ReferenceAnswer, validateAsReference } from "./reference-mode.ts";

/** Prints what the reference validator prints for each path, with its exit codes. */
export async function answerAsReference(
  context: CommandContext,
  paths: readonly string[],
): Promise<ExitCode> {
  const { terminal } = context;
  const answers: ReferenceAnswer[] = [];
  for (const path of paths) answers.push(await validateAsReference(path, context.workspace));
  if (context.json) {
    printJson(terminal, {
      results: answers.map(({ path, errors }) => ({
        path,
        valid: errors.length === 0,
        diagnostics: errors.map((message) => ({ code: "reference", severity: "error", message, file: path })),
      })),
    });
  } else {
    for (const answer of answers) printAnswer(answer, terminal);
  }
  if (answers.some(({ exists }) => !exists)) return 2;
  return answers.every(({ errors }) => errors.length === 0) ? 0 : 1;
}

function printAnswer({ path, errors, exists }: ReferenceAnswer, terminal: Terminal): void {
  const shown = showControl(path);
  if (errors.length === 0) {
    terminal.print(`Valid skill: ${shown}`);
  } else if (!exists) {
    for (const error of errors) terminal.warn(`Error: ${showControl(error)}`);
  } else {
    terminal.warn(`Validation failed for ${shown}:`);
    for (const error of errors) terminal.warn(`  - ${showControl(error)}`);
  }
}
