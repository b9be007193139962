import { existsSync } from "node:fs";
import { loadConfig, parseSkill } from "@skillet/core";
import { parseConfigValue } from "@skillet/core/internal";
import ts from "typescript";
import { expect } from "vitest";
import type { MarkdownBlock } from "./markdown-blocks.ts";
import type { PageSandbox } from "./page-sandbox.ts";
import { moduleText } from "./source-program.ts";
import { matchesOutput, parseTranscript } from "./transcript.ts";

/**
 * Languages that are checked, and the attributes each may carry.
 *
 * - `ts` is type-checked with the repository's options and run as a program, in a fresh home and project.
 * - `console`, and `sh` with `$ ` lines, is a session: output is compared, `…` stands for the rest of a line or, alone,
 *   for any lines; a command that fails is followed by `$ echo $?`. Other `sh` has to end with exit code 0.
 * - `yaml config` is loaded as the user's configuration, or as `config="project"` or `config="organisation"`.
 * - `markdown skill` is parsed strictly.
 * - `text output` is what the `ts` block before it prints; other `text` is not checked.
 * - `file="path"` writes the block before the page goes on; the blocks of one page share a home and a project.
 * - `needs="bwrap"` leaves a block out, with a warning, on a machine that does not have the program.
 * - `no-run="reason"` leaves a block out.
 * - `sdk="name"` is type-checked and run by test/sdks, with that SDK.
 */
export const LANGUAGES: ReadonlyMap<string, readonly string[]> = new Map([
  ["ts", ["needs", "no-run", "sdk"]],
  ["sh", ["needs", "no-run"]],
  ["console", ["needs", "no-run"]],
  ["yaml", ["config", "file"]],
  ["markdown", ["skill", "file"]],
  ["json", ["file"]],
  ["text", ["output", "file"]],
]);

/** Runs one block in its page's sandbox as the page's reader would; fails the test when it does not hold. */
export async function runBlock(block: MarkdownBlock, sandbox: PageSandbox, where: string): Promise<void> {
  const { language, attributes, code } = block;
  const file = attributes.get("file");
  if (file !== undefined) sandbox.write(file, code);
  if (!isRunnable(block)) return;
  if (language === "sh" && !/^\$ /m.test(code)) await runScript(code, sandbox, where);
  else if (language === "sh" || language === "console") await runTranscript(code, sandbox, where);
  else if (attributes.has("config")) loadAsConfig(block, sandbox, where);
  else if (language === "yaml") parseConfigValue(code);
  else if (language === "json") JSON.parse(code);
  else if (attributes.has("skill")) parseStrictly(block, where);
}

/** Whether a block is to be run, here. */
export function isRunnable({ attributes }: MarkdownBlock): boolean {
  const program = attributes.get("needs");
  if (attributes.has("no-run") || attributes.has("sdk")) return false;
  if (program === undefined || PROGRAM_FOLDERS.some((folder) => existsSync(`${folder}/${program}`)))
    return true;
  console.warn(`Skipped: a block of the pages, because there is no ${program}.`);
  return false;
}

const PROGRAM_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin"];

/** Runs a `ts` block as a program of its own and returns what it printed. */
export async function runProgram(block: MarkdownBlock, sandbox: PageSandbox, where: string): Promise<string> {
  const options = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
  };
  const { outputText } = ts.transpileModule(moduleText(block), { compilerOptions: options });
  const path = sandbox.write("example.mjs", outputText);
  const { exitCode, output } = await sandbox.run(["node", path]);
  expect({ exitCode, output: exitCode === 0 ? "" : output }, where).toEqual({ exitCode: 0, output: "" });
  return output;
}

/** Compares what was printed with what a page shows, as a difference that people can read. */
export function expectOutput(expected: string, actual: string, where: string): void {
  if (!matchesOutput(expected, actual)) expect(actual.trimEnd(), where).toBe(expected.trimEnd());
}

async function runScript(code: string, sandbox: PageSandbox, where: string): Promise<void> {
  const { exitCode, output } = await sandbox.run(["sh", "-e", "-c", code]);
  expect({ exitCode, output: exitCode === 0 ? "" : output }, where).toEqual({ exitCode: 0, output: "" });
}

// Between two commands: the status of the one before, which stays readable as `$?`.
const SEPARATOR = "\x1e";
const NEXT = `status=$?; printf '${SEPARATOR}%s${SEPARATOR}' "$status"; (exit "$status")`;

async function runTranscript(code: string, sandbox: PageSandbox, where: string): Promise<void> {
  const steps = parseTranscript(code);
  const script = ["exec 2>&1", ...steps.flatMap(({ command }) => [command, NEXT])].join("\n");
  const { output } = await sandbox.run(["sh", "-c", script]);
  const parts = output.split(SEPARATOR);
  for (const [index, { command, expected }] of steps.entries()) {
    const status = parts[index * 2 + 1];
    expectOutput(expected, parts[index * 2] ?? "", `${where}: ${command}`);
    // A page that shows a command fail has to show the exit code as well.
    if (steps[index + 1]?.command !== "echo $?") expect(status, `${where}: ${command}: exit code`).toBe("0");
  }
}

function loadAsConfig({ attributes, code }: MarkdownBlock, sandbox: PageSandbox, where: string): void {
  const layer = attributes.get("config") || "user";
  // A place of its own: only a block that names a file changes what the page's commands see.
  const place = `~/.config-of-block/${layer}`;
  sandbox.write(`${place}/${layer === "project" ? ".skillet/" : ""}config.yaml`, code);
  const folder = (name: string): string =>
    `${sandbox.home}/.config-of-block/${name === layer ? name : "none"}`;
  const { diagnostics } = loadConfig({
    home: folder("user"),
    userHome: sandbox.home,
    organisationDirectory: folder("organisation"),
    workspaceRoot: folder("project"),
    projectTrusted: true,
    environment: {},
  });
  expect(diagnostics, where).toEqual([]);
}

function parseStrictly({ attributes, code }: MarkdownBlock, where: string): void {
  const directoryName = attributes.get("file")?.split("/").at(-2);
  const parsed = parseSkill(code, { mode: "strict", ...(directoryName !== undefined && { directoryName }) });
  expect(
    parsed.diagnostics.filter(({ severity }) => severity !== "info"),
    where,
  ).toEqual([]);
}
