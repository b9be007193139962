import { expect, test } from "vitest";
import { isProgramPath } from "./version-changes.ts";

test.each(
  `build.gradle CMakeLists.txt Gemfile .vscode/tasks.json docker-compose.yml compose.override.yaml mise.toml init.el setup.vim
  run.nu app.coffee main.tf run.jse run.vb .pre-commit-config.yaml pom.xml x.code-workspace tool.mcpb Jenkinsfile build.xml
  .npmrc run.ahk run.au3 run.raku run.rkt sct.sct x.inf pyproject.toml Dockerfile.dev Makefile.linux Taskfile.dist.yml
  .github/workflows/x.yml .devcontainer/x.json lib/run.PY scripts/notes bin/notes model.pickle book.xlsm .bashrc`
    .trim()
    .split(/\s+/),
)("%s is there to be run", (path) => {
  expect(isProgramPath(path)).toBe(true);
  expect(isProgramPath(`some/where/${path}`)).toBe(true);
  expect(isProgramPath(path.toUpperCase())).toBe(true);
});

test.each(
  `SKILL.md references/api.md notes.txt data.json table.csv logo.png page.html LICENSE README scripts.md binary.txt
  compose.md dockerfiles.md references/makefiles/notes.md style.css config.yaml`
    .trim()
    .split(/\s+/),
)("%s is there to be read", (path) => {
  expect(isProgramPath(path)).toBe(false);
});
