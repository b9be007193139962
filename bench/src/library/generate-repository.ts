import { execFileSync } from "node:child_process";

/** A bare repository of many skills. */
export interface SkillRepository {
  readonly directory: string;
  /** Folders of the skills. */
  readonly folders: readonly string[];
  /** Files of each skill, relative to its folder. */
  readonly files: readonly string[];
}

const FILES = [
  "SKILL.md",
  "LICENSE.txt",
  "references/api.md",
  "references/examples.md",
  "references/limits.md",
  "scripts/check.py",
  "scripts/convert.py",
  "scripts/run.sh",
  "assets/template.md",
  "assets/theme.css",
] as const;

/** Writes a bare repository of skills with ten files each, as a server would hold it. */
export function generateRepository(directory: string, options: { readonly skills: number }): SkillRepository {
  const folders = Array.from(
    { length: options.skills },
    (_, index) => `skills/skill-${String(index).padStart(5, "0")}`,
  );
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", directory]);
  execFileSync("git", ["fast-import", "--quiet"], {
    cwd: directory,
    input: Buffer.from(importScript(folders)),
    maxBuffer: 1024 * 1024,
  });
  execFileSync("git", ["repack", "--quiet", "-ad"], { cwd: directory });
  for (const setting of ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"])
    execFileSync("git", ["config", setting, "true"], { cwd: directory });
  return { directory, folders, files: FILES };
}

function importScript(folders: readonly string[]): string {
  const lines = [
    "commit refs/heads/main",
    "committer Bench <bench@example.org> 1767225600 +0000",
    data("skills"),
  ];
  for (const folder of folders) {
    for (const file of FILES) lines.push(`M 100644 inline ${folder}/${file}`, data(contentOf(folder, file)));
  }
  return `${lines.join("\n")}\n`;
}

function contentOf(folder: string, file: string): string {
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  const head =
    file === "SKILL.md" ? `---\nname: ${name}\ndescription: Does what ${name} is for.\n---\n\n` : "";
  const line = (index: number): string => `Line ${index} of ${file} in ${name} says something of its own.\n`;
  return head + Array.from({ length: 40 }, (_, index) => line(index)).join("");
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}
