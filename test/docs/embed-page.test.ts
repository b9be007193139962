import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const REPOSITORY = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");

/** The packages outside this repository that come with one of its packages. */
function dependenciesOf(name: string): string[] {
  const { dependencies = {} } = JSON.parse(read(`packages/${name}/package.json`)) as {
    dependencies?: Record<string, string>;
  };
  return Object.keys(dependencies).flatMap((dependency) =>
    dependency.startsWith("@skillet/") ? dependenciesOf(dependency.slice("@skillet/".length)) : [dependency],
  );
}

test("docs/embed.md names every dependency that comes with the library", () => {
  const [introduction = ""] = read("docs/embed.md").split("\n## ");
  for (const name of new Set(dependenciesOf("core"))) expect(introduction).toContain(`\`${name}\``);
});

test("docs/embed.md has every option of openSkills in its table", () => {
  const source = read("packages/core/src/open-skills.ts");
  const options = /interface OpenSkillsOptions \{(.*?)\n\}/s.exec(source)?.[1] ?? "";
  const names = Array.from(options.matchAll(/^ {2}readonly (\w+)\?:/gm), ([, name]) => name);
  const cells = Array.from(read("docs/embed.md").matchAll(/^\| (`\w.*?) \|/gm), ([, cell]) => cell).join(
    ", ",
  );
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !cells.includes(`\`${name}\``))).toEqual([]);
});
