import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { fieldOf, parseJson } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { quoteName } from "@skillet/kit/text";
import { checkEntryPath } from "../check-entry-path.ts";

const SKILL_FILE = /^(?:(?:dist\/)?skills\/[^/]+\/)?SKILL\.md$/;

/**
 * Where a package has its skills: at its root, below `skills/` and `dist/skills/`, and where `agentskills` of its
 * package.json says. Of a skill that is in both, the source is taken.
 */
export function findPackageSkills(
  files: readonly TreeFile[],
  { name }: { readonly name: string },
): { readonly folders: readonly string[]; readonly diagnostics: readonly Diagnostic[] } {
  const paths = new Set(files.map(({ path }) => path));
  const usual = [...paths]
    .filter((path) => SKILL_FILE.test(path))
    .map((path) => path.replace(/\/?SKILL\.md$/, ""));
  const folders = new Set(
    usual.filter((folder) => !usual.includes(folder.replace(/^dist\//, "")) || !folder.startsWith("dist/")),
  );
  const diagnostics: Diagnostic[] = [];
  for (const declared of declaredFolders(files)) {
    const folder = declared
      .replace(/^\.\//, "")
      .replace(/\/+$/, "")
      .replace(/(?:^|\/)SKILL\.md$/, "");
    const problem = folder === "" || folder === "." ? undefined : checkEntryPath(folder);
    const file = folder === "" || folder === "." ? "SKILL.md" : `${folder}/SKILL.md`;
    if (problem === undefined && paths.has(file)) folders.add(file.replace(/\/?SKILL\.md$/, ""));
    else diagnostics.push(missingSkill(declared, { name, problem }));
  }
  return { folders: [...folders].sort(compareByteOrder), diagnostics };
}

function declaredFolders(files: readonly TreeFile[]): readonly string[] {
  // A package whose manifest cannot be read declares nothing; its skills are found in the usual folders.
  const manifest = parseJson(files.find(({ path }) => path === "package.json")?.bytes);
  const skills = fieldOf(fieldOf(manifest, "agentskills"), "skills");
  if (!Array.isArray(skills)) return [];
  return (skills as readonly unknown[]).flatMap((skill) => {
    const path = fieldOf(skill, "path");
    return typeof path === "string" ? [path] : [];
  });
}

function missingSkill(
  declared: string,
  { name, problem }: { readonly name: string; readonly problem: string | undefined },
): Diagnostic {
  return {
    code: "npm-skill-missing",
    severity: "warning",
    message: `its package.json names the skill ${quoteName(declared.slice(0, 200))}, ${problem === undefined ? "which has no SKILL.md" : `whose path ${problem}`}`,
    file: `npm:${name}`,
    hint: "tell whoever publishes the package; its other skills can be installed",
  };
}
