import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { discover } from "./measure/product.ts";
import { renderTable } from "./report/render-table.ts";

/** The share of skills that must load. */
const MIN_LOADED = 0.97;

/** How many faults are listed before the rest is only counted. */
const MAX_LISTED = 20;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const [directory] = args;
  if (directory === undefined || args.length > 1 || directory.startsWith("-")) {
    console.error("Usage: npm run bench:corpus -- DIR");
    return 2;
  }
  const root = realpathSync(directory);
  const files = listSkillFiles(root);
  if (files.length === 0) {
    console.error(`There is no SKILL.md in ${root}.`);
    return 2;
  }

  const snapshot = await discover(root, undefined);
  const diagnostics = [...snapshot.diagnostics, ...snapshot.skills.flatMap((skill) => skill.diagnostics)];
  const loaded = new Set(snapshot.skills.flatMap(({ path, alsoAt }) => [path, ...alsoAt]));
  const skipped = files.filter((path) => !loaded.has(path));
  const unexplained = skipped.filter((path) => !isExplained(diagnostics.filter(({ file }) => file === path)));
  const share = (files.length - skipped.length) / files.length;

  console.log(
    renderTable([
      ["Files", String(files.length)],
      ...countBy(files.map((path) => path.slice(path.lastIndexOf("/") + 1))).map(([name, count]) => [
        `  ${name}`,
        count,
      ]),
      ["Loaded", String(files.length - skipped.length), `${(100 * share).toFixed(2)} %`],
      ["Skipped", String(skipped.length)],
      ["Diagnostics", String(diagnostics.length)],
      ...countBy(diagnostics.map(({ severity, code }) => `${severity} ${code}`)).map(([name, count]) => [
        `  ${name}`,
        count,
      ]),
    ]),
  );
  const faults = unexplained.map((path) => `${path} was skipped without an error that has a line and a hint`);
  if (share < MIN_LOADED) faults.push(`less than ${100 * MIN_LOADED} % of the files were loaded`);
  for (const fault of faults.slice(0, MAX_LISTED)) console.error(fault);
  if (faults.length > MAX_LISTED) console.error(`and ${faults.length - MAX_LISTED} more`);
  return faults.length === 0 ? 0 : 1;
}

function listSkillFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.toLowerCase() === "skill.md")
    .map((entry) => join(entry.parentPath, entry.name));
}

function isExplained(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(
    ({ severity, range, hint }) => severity === "error" && range !== undefined && hint !== undefined,
  );
}

function countBy(names: readonly string[]): readonly (readonly [name: string, count: string])[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .toSorted(([leftName, left], [rightName, right]) => right - left || (leftName < rightName ? -1 : 1))
    .map(([name, count]) => [name, String(count)]);
}
