// How often each rule of `skillet lint` fires over a folder of skills: npm run bench:lint -- FOLDER
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { buildPackages } from "./prepare.mjs";

/** Of a rule that is more than a note: firing on most skills, it would say nothing about any. */
const MAX_SHARE = 0.6;
const MAX_FILE_BYTES = 256 * 1024;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name a folder of skills: npm run bench:lint -- FOLDER");
buildPackages();
const { LINT_RULES, lintSkill } = await import("@skillet/author");
const { parseSkill } = await import("@skillet/core");

const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
const mains = entries.filter((entry) => entry.isFile() && entry.name.toLowerCase() === "skill.md");
const skills = mains.map(({ parentPath, name }) => {
  const file = join(parentPath, name);
  const text = readFileSync(file, "utf8");
  const files = readdirSync(parentPath, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== name)
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, size } = statSync(path);
      const content = size > MAX_FILE_BYTES ? undefined : readFileSync(path, "utf8");
      return { path: relative(parentPath, path), executable: (mode & 0o111) !== 0, text: content };
    });
  return { file, text, files, manifest: parseSkill(text, { directoryName: basename(parentPath) }).manifest };
});
// Only these can share it, so that not every pair has to be compared.
const startOf = (manifest) => manifest?.description.replace(/\s+/g, " ").trim().toLowerCase().slice(0, 60);
const byStart = new Map();
for (const { file, manifest } of skills) {
  if (manifest === undefined) continue;
  const start = startOf(manifest);
  byStart.set(start, [...(byStart.get(start) ?? []), [file, manifest]]);
}
const fired = new Map(LINT_RULES.map(({ id }) => [id, 0]));
let linted = 0;
let clean = 0;
for (const { file, text, files, manifest } of skills) {
  const others = new Map((byStart.get(startOf(manifest)) ?? []).filter(([other]) => other !== file));
  const { isLinted, findings } = lintSkill({ file, text, files, others });
  if (!isLinted) continue;
  linted += 1;
  if (findings.length === 0) clean += 1;
  for (const code of new Set(findings.map((finding) => finding.code))) fired.set(code, fired.get(code) + 1);
}
const share = (number) => `${((100 * number) / Math.max(1, linted)).toFixed(1)} %`;
console.log(`${linted} of ${skills.length} skills load; ${clean} (${share(clean)}) have no finding`);
console.table(
  LINT_RULES.map(({ id, severity }) => ({
    rule: id,
    severity,
    skills: fired.get(id),
    share: share(fired.get(id)),
  })).toSorted((left, right) => right.skills - left.skills),
);
const noisy = LINT_RULES.filter(
  ({ id, severity }) => severity !== "info" && fired.get(id) > MAX_SHARE * linted,
);
if (noisy.length > 0) {
  console.error(`Too noisy to be warnings: ${noisy.map(({ id }) => id).join(", ")}`);
  process.exitCode = 1;
}
