import { expect, test } from "vitest";
import { describeCall } from "./ask-person.ts";

test("a call is shown by what its tool goes by, whole, whatever a model puts before it", () => {
  const command = `rm -rf src # ${"x".repeat(5000)} end`;
  expect(describeCall("Bash", { name: "ls", command })).toBe(`Bash ${command}`);
  expect(describeCall("Write", { task: "nothing", file_path: "a.md" })).toBe("Write a.md");
  const run = { path: "scripts/x.sh", args: ["--all"] };
  expect(describeCall("run_skill_script", run)).toBe(`run_skill_script ${JSON.stringify(run)}`);
});
