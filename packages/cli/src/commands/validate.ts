import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { validationReport } from "../ui/validation-report.ts";
import { checkPaths } from "../validate/check-paths.ts";
import { isValid, type ValidationResult } from "../validate/validation-result.ts";

/** What to check, and what to do about it. */
export interface ValidateOptions {
  readonly paths: readonly string[];
  readonly fix?: boolean;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly refCompat?: boolean;
}

/** Checks SKILL.md files, skill folders and folders of skills against the specification. */
export async function validate(context: CommandContext, options: ValidateOptions): Promise<ExitCode> {
  const paths = options.paths.length > 0 ? options.paths : ["."];
  checkCombination(options);
  if (options.refCompat === true) {
    const { answerAsReference } = await import("../validate/answer-as-reference.ts");
    return answerAsReference(context, paths);
  }
  const results = await checkPaths(paths, {
    workingDirectory: context.workspace,
    ...(options.fix === true && { fix: options.dryRun === true ? "dry-run" : "write" }),
  });
  const { terminal, environment } = context;
  if (context.json) {
    printJson(terminal, { results: results.map((result) => toRow(result, options)) });
  } else {
    const layout = { width: terminal.width, colours: terminal.colours, environment };
    const quiet = options.quiet ?? false;
    const report = validationReport(results, { ...layout, lineWidth: terminal.lineWidth, quiet });
    for (const line of report) terminal.print(line);
  }
  return results.every(isValid) ? 0 : 1;
}

function checkCombination(options: ValidateOptions): void {
  if (options.dryRun === true && options.fix !== true) {
    throw new CliError("usage", "--dry-run needs --fix.", {
      hints: ["For example: skillet validate --fix --dry-run"],
    });
  }
  if (options.refCompat === true && options.fix === true) {
    throw new CliError(
      "usage",
      "--ref-compat and --fix do not go together: the reference validator repairs nothing.",
      {
        hints: ["See: skillet help validate"],
      },
    );
  }
}

function toRow(result: ValidationResult, options: ValidateOptions): Record<string, unknown> {
  return {
    path: result.path,
    kind: result.kind,
    valid: isValid(result),
    diagnostics: result.diagnostics.map(diagnosticRow),
    ...(options.fix === true && { fixed: (result.repairs?.applied ?? []).map(diagnosticRow) }),
  };
}
