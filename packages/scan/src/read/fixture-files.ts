import { decodeText } from "../file/decode-text.ts";
import type { SkillFile } from "../file/skill-file.ts";

/** Whether a file lies among tests, and nothing in the skill runs or loads it. */
export type IsFixture = (path: string) => boolean;

/** Reads what SKILL.md and the manifests name: a fixture that one of them names is no fixture. */
export function createFixtureTest(files: readonly SkillFile[]): IsFixture {
  const naming = files.filter(({ path }) => NAMING.test(path) && !TEST_FOLDER.test(path));
  const text = naming.map(({ bytes }) => decodeText(bytes.subarray(0, MAX_NAMING_BYTES)).text).join("\n");
  return (path) => {
    if (!TEST_FOLDER.test(path) && !TEST_FILE.test(path)) return false;
    const base = path.slice(path.lastIndexOf("/") + 1);
    return !text.includes(path) && !text.includes(base);
  };
}

const MAX_NAMING_BYTES = 1024 * 1024;
const NAMING =
  /(?:^|\/)(?:[^/]+\.md|package\.json|[^/]+\.(?:ya?ml|toml|sh|bash|py|mjs|cjs|js|ts)|\.mcp\.json|settings\.json|Makefile)$/;
const TEST_FOLDER =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|fixtures?|testdata|test-data|__fixtures__|__mocks__)\//i;
const TEST_FILE = /(?:^|\/)(?:test_[^/]+\.py|[^/]+_test\.(?:py|go)|[^/]+\.(?:test|spec)\.[cm]?[jt]sx?)$/;
