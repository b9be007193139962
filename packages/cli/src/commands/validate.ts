import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { diagnosticRow, printJson } from "../ui/json-document.ts";
import { findSkillFiles, type SkillFile } from "../validate/find-skill-files.ts";
import { checkSkillFile, fixSkillFile } from "../validate/fix-skill-file.ts";
import { isValid, type ValidationResult, validationReport } from "../validate/validation-report.ts";

export interface ValidateOptions {
  readonly paths: readonly string[];
  readonly fix?: boolean;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly refCompat?: boolean;
}

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
    terminal.print(report);
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

/** Checks everything that paths mean, in their order; with `fix`, repairs it or shows how. */
export async function checkPaths(
  paths: readonly string[],
  options: { readonly workingDirectory: string; readonly fix?: "write" | "dry-run" },
): Promise<readonly ValidationResult[]> {
  const results: ValidationResult[] = [];
  for (const path of paths) {
    const { files, diagnostics } = await findSkillFiles(path, options.workingDirectory);
    if (diagnostics.length > 0) results.push({ kind: "place", path, diagnostics });
    for (const result of await checkFiles(files, options.fix)) results.push(result);
  }
  return results;
}

async function checkFiles(
  files: readonly SkillFile[],
  fix: "write" | "dry-run" | undefined,
): Promise<readonly ValidationResult[]> {
  const results = new Map<SkillFile, ValidationResult>();
  // What a link leads to is repaired first, so that the link is judged by what it leads to then.
  for (const file of [...files.filter(({ isLink }) => !isLink), ...files.filter(({ isLink }) => isLink)]) {
    const result = fix === undefined ? checkSkillFile(file) : fixSkillFile(file, { write: fix === "write" });
    results.set(file, await result);
  }
  return files.flatMap((file) => results.get(file) ?? []);
}
