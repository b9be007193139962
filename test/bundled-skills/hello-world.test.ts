import { expect, test } from "vitest";
import { runScript } from "./temporary-repository.ts";

const script = "hello-world/scripts/hello.sh";

test("somebody is greeted, the world by default", () => {
  expect(runScript(script, [])).toMatchObject({ status: 0, stderr: "" });
  expect(runScript(script, []).stdout).toMatch(
    /^Hello, world!\nscript: ran\nshell: bash [\d.]+\nsystem: \w+\n$/,
  );
  expect(runScript(script, ["two words"]).stdout).toContain("Hello, two words!\n");
});

test("a name cannot send anything to the terminal", () => {
  expect(runScript(script, ["\u001b[2J\nx%s"]).stdout).toContain("Hello, [2Jx%s!\n");
});

test("an option or a second name is refused", () => {
  expect(runScript(script, ["--shout"])).toMatchObject({ status: 2, stdout: "" });
  expect(runScript(script, ["one", "two"])).toMatchObject({ status: 2, stdout: "" });
});
