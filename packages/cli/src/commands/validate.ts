import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { validationReport } from "../ui/validation-report.ts";
import { checkSkillFile } from "../validate/check-skill-file.ts";
import { findSkillFiles } from "../validate/find-skill-files.ts";
import { fixSkillFile } from "../validate/fix-skill-file.ts";
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
  const results: ValidationResult[] = [];
  for (const path of paths) results.push(...(await checkPath(path, context.workspace, options)));
  const { terminal, environment } = context;
  if (context.json) {
    printJson(terminal, { results: results.map((result) => toRow(result, options)) });
  } else {
    const layout = { width: terminal.width, colours: terminal.colours, environment };
    const report = validationReport(results, {
      ...layout,
      lineWidth: terminal.lineWidth,
      quiet: options.quiet ?? false,
      dryRun: options.dryRun ?? false,
    });
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

async function checkPath(
  path: string,
  workingDirectory: string,
  options: ValidateOptions,
): Promise<ValidationResult[]> {
  const { files, diagnostics } = await findSkillFiles(path, workingDirectory);
  const results: ValidationResult[] = diagnostics.length > 0 ? [{ path, diagnostics }] : [];
  for (const file of files) {
    results.push(
      options.fix === true
        ? await fixSkillFile(file, { write: options.dryRun !== true })
        : await checkSkillFile(file),
    );
  }
  return results;
}

function toRow(result: ValidationResult, options: ValidateOptions): Record<string, unknown> {
  return {
    path: result.path,
    valid: isValid(result),
    diagnostics: result.diagnostics.map(diagnosticRow),
    ...(options.fix === true && { fixed: (result.repairs?.applied ?? []).map(diagnosticRow) }),
  };
}
