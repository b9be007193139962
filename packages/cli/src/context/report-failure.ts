import { SkilletError } from "@skillet/kit/errors";
import { printJson } from "../ui/json-document.ts";
import type { Terminal } from "../ui/terminal.ts";
import { fitText, sayingWhere, showControl } from "../ui/text.ts";
import { CliError } from "./cli-error.ts";
import type { ExitCode } from "./command-context.ts";

export function reportFailure(
  error: unknown,
  options: { readonly terminal: Terminal; readonly json: boolean; readonly debug: boolean },
): ExitCode {
  const { terminal } = options;
  const failure = describeFailure(error);
  const colours = terminal.errors.colours;
  const fit = (text: string, indent: number): readonly string[] =>
    fitText(text.split("\n").map(showControl).join("\n"), {
      ...terminal.errors,
      width: terminal.errors.width - indent,
    });
  const [first, ...more] = fit(failure.message, 7);
  terminal.warn([
    `${colours.red("error:")} ${first}`,
    ...[...more, ...failure.hints.flatMap((hint) => fit(hint, 2))].map((line) => `  ${line}`.trimEnd()),
  ]);
  if (options.debug && error instanceof Error) printStack(error, terminal);
  if (options.json) {
    const { code, message, details } = failure;
    const hints = failure.hints.map((hint) => sayingWhere(hint, terminal));
    printJson(terminal, { error: { code, message, hints, details } });
  }
  return failure.exitCode;
}

export function describeFailure(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (SkilletError.isInstance(error)) return new CliError(error.code, error.message, { details: error.data });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ERR_MODULE_NOT_FOUND") return incomplete(error);
  const message = error instanceof Error ? error.message : String(error);
  return new CliError("unexpected", `Something unexpected happened: ${message}`, {
    hints: ["Run the same command with --debug to see where, and report it with that output."],
  });
}

function incomplete(error: unknown): CliError {
  const [message = ""] = String(error).split(/ imported (?:from )/);
  const missing = message.replace(/^.*Cannot find /, "");
  return new CliError("installation-incomplete", `A part of Skillet is missing: ${missing}.`, {
    hints: ["In a checkout, run: npm run build", "Otherwise install Skillet again."],
  });
}

function printStack(error: Error, terminal: Terminal): void {
  let current: unknown = error;
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSES; depth += 1) {
    const prefix = depth === 0 ? "" : "caused by ";
    for (const line of `${prefix}${current.stack ?? current.message}`.split("\n")) terminal.warn(line);
    current = current.cause;
  }
}

const MAX_CAUSES = 5;
