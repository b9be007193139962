import type { SkillFile } from "../file/file-kind.ts";
import { decodeText } from "../file/identify-file.ts";

/** Whether a file is in a test folder and nothing in the skill runs or loads it. */
export type IsFixture = (path: string) => boolean;

/**
 * Reads the files outside of the tests: a file that they name, directly or by its folder, is not a fixture,
 * and a test is not one if the tests are to be run.
 */
export function createFixtureTest(files: readonly SkillFile[]): IsFixture {
  if (!files.some(({ path }) => TEST_FOLDER.test(path) || TEST_FILE.test(path))) return () => false;
  const text = namingText(files);
  const runsTests = RUNS_TESTS.test(text);
  const named = new Set<string>();
  for (const [, folder, spoken] of text.matchAll(NAMED_FOLDER))
    named.add((folder ?? spoken ?? "").toLowerCase());
  return (path) => {
    if (!TEST_FOLDER.test(path) && !TEST_FILE.test(path)) return false;
    if (runsTests && LOADED_BY_RUNNER.test(path)) return false;
    const folders = path.split("/");
    const base = folders.pop() ?? "";
    if (folders.some((folder) => named.has(folder.toLowerCase()))) return false;
    // Every skill mentions its SKILL.md; a specimen of one is named by its folder.
    const name = base === "SKILL.md" ? path.split("/").slice(-2).join("/") : base;
    return !text.includes(path) && !text.includes(name);
  };
}

/** The texts outside of the tests that may name a file for an agent or a program to load. */
export function namingText(files: readonly SkillFile[]): string {
  const naming = files.filter(({ path }) => NAMING.test(path) && !TEST_FOLDER.test(path));
  return naming.map(({ bytes }) => decodeText(bytes).text).join("\n");
}

const NAMING =
  /(?:^|\/)(?:[^/]+\.(?:md|txt|json|ya?ml|toml|sh|bash|zsh|py|[cm]?[jt]sx?|ps1|bat|cmd|rb|pl|php|lua|go)|Makefile|[^/.]+)$/i;
const FOLDER =
  "tests?|__tests__|evals?|spec|specs|fixtures?|testdata|test[-_](?:data|cases|scenarios|skills|samples|fixtures)|__fixtures__|__mocks__";
const TEST_FOLDER = new RegExp(`(?:^|/)(?:${FOLDER})/`, "i");
const TEST_FILE = /(?:^|\/)(?:test_[^/]+\.py|[^/]+_test\.(?:py|go)|[^/]+\.(?:test|spec)\.[cm]?[jt]sx?)$/;
/** As a path (`tests/`, `../fixtures/x`), as a module (`tests.support`, `"tests." + name`), or in words ("the specs folder"). */
const NAMED_FOLDER = new RegExp(
  `(?<![\\w-])(${FOLDER})(?:[/\\\\]|\\.[a-z_"'\`*$]|["'\`]|\\s{1,4}import\\b)|(?<![\\w-])(${FOLDER})[\`"'*]{0,3}\\s{1,4}(?:folder|directory|dir)\\b`,
  "gi",
);
const RUNS_TESTS =
  /\b(?:pytest|py\.test|unittest|nosetests|tox|vitest|jest|mocha|bats|rspec|phpunit|(?:npm|pnpm|yarn|bun|deno|go|cargo|make)\s{1,4}(?:run\s{1,4})?test|node\s{1,4}--test)\b/;
const LOADED_BY_RUNNER =
  /(?:^|\/)(?:conftest\.py|__init__\.py|test_[^/]+\.py|[^/]+_test\.(?:py|go|rb)|[^/]+[._-](?:test|spec)\.[cm]?[jt]sx?|[^/]+_spec\.rb|[^/]+\.bats|(?:global-?)?setup\.[cm]?[jt]s|(?:__tests__|tests?)\/[^/]+\.[cm]?[jt]s)$/;
