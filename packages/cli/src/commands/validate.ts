import { refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { diagnosticRow } from "../ui/json-document.ts";
import { checkSkillFile, fixSkillFile } from "../validate/check-skill-file.ts";
import { findSkillFiles, type SkillFile } from "../validate/find-skill-files.ts";
import { isValid, type ValidationResult, validationReport } from "../validate/validation-report.ts";

interface ValidateOptions extends Flags<"fix" | "dryRun" | "quiet" | "refCompat"> {
  readonly paths: readonly string[];
}

export async function validate(context: CommandContext, options: ValidateOptions): Promise<ExitCode> {
  const { fix = false, dryRun = false, quiet = false, refCompat = false } = options;
  const paths = options.paths.length > 0 ? options.paths : ["."];
  refuseUsage("validate", [
    [dryRun && !fix, "--dry-run needs --fix.", "For example: skillet validate --fix --dry-run"],
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
    ...{ path: result.path, kind: result.kind, valid: isValid(result), diagnostics: result.diagnostics },
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
  { workingDirectory, fix }: { readonly workingDirectory: string; readonly fix?: "write" | "dry-run" },
): Promise<readonly ValidationResult[]> {
  const results: ValidationResult[] = [];
  for (const path of paths) {
    const { files, diagnostics } = await findSkillFiles(path, workingDirectory);
    if (diagnostics.length > 0) results.push({ kind: "place", path, diagnostics });
    const checked = new Map<SkillFile, ValidationResult>();
    // Targets of links are repaired first, so that a link is judged by its target's new content.
    for (const file of files.toSorted((left, right) => Number(left.isLink) - Number(right.isLink)))
      checked.set(
        file,
        await (fix === undefined ? checkSkillFile(file) : fixSkillFile(file, { write: fix === "write" })),
      );
    for (const result of files.flatMap((file) => checked.get(file) ?? [])) results.push(result);
  }
  return results;
}
