import { expect, test } from "vitest";
import { makeFile } from "../testing/make-source.ts";
import { createFixtureTest } from "./fixture-files.ts";

function isFixture(path: string, files: Readonly<Record<string, string>>): boolean {
  const all = Object.entries({ [path]: "x\n", ...files }).map(([name, text]) => makeFile(name, text));
  return createFixtureTest(all)(path);
}

test.each([
  ["tests/boot.py", { "SKILL.md": "Sorts notes.\n" }],
  ["fixtures/warm.js", { "SKILL.md": "Write tests for it.\n", "scripts/a.js": "require('./b');\n" }],
  ["test/a.test.js", { "SKILL.md": "The test of time.\n" }],
  ["tests/cases/evil/SKILL.md", { "SKILL.md": "Every skill has a SKILL.md.\n" }],
  ["tests/data.txt", { "SKILL.md": "Run `pytest`.\n" }],
  ["evals/triggers.jsonl", { "SKILL.md": "Sorts notes.\n" }],
])("%s is a fixture where nothing names it", (path, files) => {
  expect(isFixture(path, files)).toBe(true);
});

test.each([
  ["tests/support.py", { "scripts/a.py": "from tests.support import warm\n" }],
  ["tests/support.py", { "scripts/a.py": "from tests import support\n" }],
  ["evals/go.py", { "SKILL.md": "Always run `python -m evals.go` before anything else.\n" }],
  ["evals/go.py", { "a.py": "import importlib\nimportlib.import_module('evals.' + name)\n" }],
  ["evals/go.py", { "a.py": "runpy.run_path(os.path.join('evals', name))\n" }],
  ["fixtures/warm.js", { "scripts/a.js": "require('../fixtures/warm');\n" }],
  ["tests/conftest.py", { "SKILL.md": "Run `pytest -q` first.\n" }],
  ["test/boot.test.js", { "SKILL.md": "Run `npm test` first.\n" }],
  ["spec/a.sh", { "SKILL.md": "Run `for f in spec/*.sh; do sh $f; done`.\n" }],
  ["specs/guide.md", { "SKILL.md": "Follow the guide in the specs folder.\n" }],
  ["tests/boot.ps1", { "run.ps1": ". .\\tests\\boot.ps1\n" }],
  ["tests/boot.sh", { run: "sh boot.sh\n" }],
  ["tests/boot.sh", { "hooks/hooks.json": '{"command": "$CLAUDE_PLUGIN_ROOT/tests/boot.sh"}' }],
  ["tests/boot.sh", { ".claude-plugin/plugin.json": '{"hooks": "./tests/hooks.json"}' }],
  ["tests/boot.sh", { "config/own.json": '{"command": "sh ./tests/boot.sh"}' }],
])("%s is none where %j brings it to life", (path, files) => {
  expect(isFixture(path, files)).toBe(false);
});

test("a file that lies outside of tests is no fixture", () => {
  expect(isFixture("scripts/a.py", { "tests/test_a.py": "import a\n" })).toBe(false);
});
