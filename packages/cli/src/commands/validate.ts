import { CliError, refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { diagnosticRow } from "../ui/json-document.ts";
import {
  checkSkillFile,
  findSkillFiles,
  fixSkillFile,
  type SkillFile,
} from "../validate/find-skill-files.ts";
import { isValid, type ValidationResult, validationReport } from "../validate/validation-report.ts";

interface ValidateOptions extends Flags<"fix" | "dryRun" | "quiet" | "refCompat"> {
  readonly paths: readonly string[];
}

export async function validate(context: CommandContext, options: ValidateOptions): Promise<ExitCode> {
  const { fix = false, dryRun = false, quiet = false, refCompat = false } = options;
  const paths = options.paths.length > 0 ? options.paths : ["."];
  if (dryRun && !fix)
    throw new CliError("usage", "--dry-run needs --fix.", {
      hints: ["For example: skillet validate --fix --dry-run"],
    });
  refuseUsage("validate", [
    [refCompat && fix, "--ref-compat and --fix do not go together: the reference validator repairs nothing."],
  ]);
  if (refCompat) {
    const { answerAsReference } = await import("../validate/answer-as-reference.ts");
    return answerAsReference(context, paths);
  }
  const results = await checkPaths(paths, {
    workingDirectory: context.workspace,
    ...(fix && { fix: dryRun ? "dry-run" : "write" }),
  });
  const rows = results.map((result) => ({
    ...{ path: result.path, kind: result.kind, valid: isValid(result) },
    diagnostics: result.diagnostics,
    ...(fix && { fixed: (result.repairs?.applied ?? []).map(diagnosticRow) }),
  }));
  return answer(
    context,
    { results: rows },
    () => validationReport(results, { ...context.terminal, quiet }),
    results.every(isValid) ? 0 : 1,
  );
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
