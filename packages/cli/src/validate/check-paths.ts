import { checkSkillFile } from "./check-skill-file.ts";
import { findSkillFiles } from "./find-skill-files.ts";
import { fixSkillFile } from "./fix-skill-file.ts";
import type { SkillFile } from "./skill-file.ts";
import type { ValidationResult } from "./validation-result.ts";

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
