import { expect, test } from "vitest";
import { callLines, describeCall } from "./ask-person.ts";

const AT = { workspace: "/work", width: 80 };

test("a call is shown by what its tool goes by, whole, whatever a model puts before it", () => {
  const command = `rm -rf src # ${"x".repeat(5000)} end`;
  expect(describeCall("Bash", { name: "ls", command }, "/work")).toBe(`Bash ${command}`);
  expect(describeCall("Write", { task: "nothing", file_path: "/work/a.md" }, "/work")).toBe("Write a.md");
  const run = { path: "scripts/x.sh", args: ["--all"] };
  expect(describeCall("run_skill_script", run, "/work")).toBe(`run_skill_script ${JSON.stringify(run)}`);
});

test("each line of a command stands on its own, so that none hides in the comment before it, nor as a question", () => {
  expect(describeCall("Bash", { command: "ls # list\nrm x\n" }, "/work")).toBe("Bash ls # list ⏎ rm x");
  const command = "ls # list\nrm -rf src\u001b[2A\nIt changes nothing. Do it? [y/N]";
  expect(callLines({ tool: "Bash", input: { command } }, AT)).toEqual([
    "  │ ls # list",
    "  │ rm -rf src␛[2A",
    "  │ It changes nothing. Do it? [y/N]",
  ]);
});

test("a long line is wrapped with a mark before every row, and a long command says that it is long at its end", () => {
  const padded = `rm -rf ~ #${" ".repeat(5000)}  │ ls${" ".repeat(200)}It changes nothing. Do it? [y/N]`;
  expect(callLines({ tool: "Bash", input: { command: padded } }, { ...AT, width: 40 })).toEqual([
    ...["  │ rm -rf ~ #", "  ┆ │ ls", "  ┆ It changes nothing. Do it? [y/N]"],
  ]);
  const lines = callLines({ tool: "Bash", input: { command: `rm -rf ~\n${"true\n".repeat(300)}` } }, AT);
  expect([lines[0], lines.at(-1)]).toEqual([
    "  │ rm -rf ~",
    "  (The command has 301 lines. Scroll up to read all of them.)",
  ]);
  const blob = callLines({ tool: "Write", input: { file_path: "/work/a", content: "x".repeat(20_000) } }, AT);
  expect(blob.every((row) => row.length <= 80)).toBe(true);
  expect(blob.at(-1)).toMatch(/^ {2}│ … \d+ more lines$/);
});

test("an edit is shown with what goes and what comes, a long file by its beginning", () => {
  const edit = { file_path: "/work/a.md", old_string: "one\ntwo", new_string: "three" };
  expect(callLines({ tool: "Edit", input: edit }, AT)).toEqual([
    ...["  Edit a.md", "  │ - one", "  │ - two", "  │ + three"],
  ]);
  const content = Array.from({ length: 150 }, (_, index) => `${index}`).join("\n");
  const lines = callLines({ tool: "Write", input: { file_path: "/work/b.md", content } }, AT);
  expect(lines[0]).toBe("  Write b.md");
  expect(lines.at(-1)).toBe("  │ … 50 more lines");
  const hiding = { file_path: "/work/a.md", old_string: content, new_string: "rm -rf /" };
  expect(callLines({ tool: "Edit", input: hiding }, AT).at(-1)).toBe("  │ + rm -rf /");
  const other = { channel: "all", content: "hi" };
  expect(callLines({ tool: "post", input: other }, AT)).toEqual([`  post ${JSON.stringify(other)}`]);
});
