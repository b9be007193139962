import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createSandbox, LAUNCHER } from "./sandbox.ts";

const PACKAGE = fileURLToPath(new URL("../../packages/cli", import.meta.url));
const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));

describe("skillet", () => {
  test.each(["--version", "-V", "-v"])("%s prints the version and nothing else", async (flag) => {
    expect(await createSandbox().skillet([flag])).toEqual({
      exitCode: 0,
      stdout: `${version}\n`,
      stderr: "",
    });
  });

  test("-v prints the version after another option, too", async () => {
    const run = await createSandbox().skillet(["--no-color", "-v"]);
    expect(run).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("help fits on one screen, and without a terminal it is what no command gives", async () => {
    const sandbox = createSandbox();
    const run = await sandbox.skillet(["help"]);
    expect(run.stdout).toContain("Usage: skillet <command> [options]");
    expect(run.stdout).toContain("skillet help --all");
    for (const command of ["install", "show", "explain", "scan", "doctor"])
      expect(run.stdout).toMatch(new RegExp(`^  ${command} .*\\S`, "m"));
    const lines = run.stdout.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    for (const args of [[], ["--help"], ["--workspace", sandbox.project]])
      expect(await sandbox.skillet(args), args.join(" ")).toEqual(run);
  });

  test("help for a command that does not exist is wrong use, however it is asked for", async () => {
    for (const args of [["frob", "--help"], ["--help", "frob"], ["help", "frob"], ["frob"]]) {
      const { exitCode, stdout, stderr } = await createSandbox().skillet(args);
      expect([exitCode, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("frob");
    }
  });

  test("help --all lists every command", async () => {
    const run = await createSandbox().skillet(["help", "--all"]);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain("Usage: skillet <command> [options]");
    for (const command of [
      "show",
      "explain",
      "catalog",
      "activate",
      "read",
      "check-tool",
      "records",
      "validate",
      "scan",
      "doctor",
      "enable",
      "disable",
      "trust",
      "config",
      "manage",
    ]) {
      expect(run.stdout).toMatch(new RegExp(`^  ${command} .* {2}\\S`, "m"));
    }
  });

  test("help for a command carries examples and the options of every command", async () => {
    const sandbox = createSandbox();
    const run = await sandbox.skillet(["help", "show"]);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain("$ skillet show");
    expect(run.stdout).toContain("--skills-root <dir>");
    expect(await sandbox.skillet(["show", "--help"])).toEqual(run);
  });

  test("help is found under a command's other names, too", async () => {
    const sandbox = createSandbox();
    expect(await sandbox.skillet(["help", "ls"])).toEqual(await sandbox.skillet(["help", "show"]));
  });

  test.each(["ls", "list"])("%s is show, as other commands have it", async (name) => {
    const sandbox = createSandbox();
    const run = await sandbox.skillet([name, "--scope", "bundled"]);
    expect(run).toEqual(await sandbox.skillet(["show", "--scope", "bundled"]));
    expect(run.stdout).toMatch(/^✓ hello-world +bundled/m);
  });

  test("version is a command, too, and has a document", async () => {
    const sandbox = createSandbox();
    expect(await sandbox.skillet(["version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
    expect((await sandbox.json(["version"])).document).toEqual({ schemaVersion: 1, version });
  });

  test("a misspelled command is answered with the right one", async () => {
    expect(await createSandbox().skillet(["shwo"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "error: Unknown command 'shwo'.\n  Did you mean show?\n  See: skillet help\n",
    });
  });

  test("a misspelled option is answered with the right one", async () => {
    expect(await createSandbox().skillet(["show", "--jsn"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "error: Unknown option '--jsn'.\n  Did you mean --json?\n  See: skillet help show\n",
    });
  });

  test("help is named after the command, not after the value of an option before it", async () => {
    const sandbox = createSandbox();
    const { stderr } = await sandbox.skillet(["--workspace", sandbox.project, "show", "--bogus"]);
    expect(stderr).toBe("error: Unknown option '--bogus'.\n  See: skillet help show\n");
    const before = await sandbox.skillet(["--workspace", sandbox.project, "--bogus", "show"]);
    expect(before.stderr).toBe("error: Unknown option '--bogus'.\n  See: skillet help\n");
  });

  test("wrong use is a JSON document where one was asked for", async () => {
    const { exitCode, document } = await createSandbox().json(["show", "--state", "odd"]);
    expect(exitCode).toBe(2);
    expect(document).toMatchObject({ schemaVersion: 1, error: { code: "usage" } });
    expect(document.error.message).toContain("It can be enabled");
  });

  test("help for a command that does not exist is wrong use", async () => {
    const run = await createSandbox().skillet(["help", "shwo"]);
    expect({ exitCode: run.exitCode, stdout: run.stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(run.stderr).toContain("There is no command 'shwo'.\n  Did you mean show?");
  });

  test("a word of another tool is answered with the command that does it here", async () => {
    const run = await createSandbox().skillet(["upgrade"]);
    expect(run.stderr).toBe(
      "error: Unknown command 'upgrade'.\n  Did you mean update?\n  See: skillet help\n",
    );
  });

  test.each([
    ["untrust", "trust --revoke"],
    ["approve", "trust --approve"],
    ["trust list", "--list"],
    ["trust revoke", "--revoke"],
    ["trust untrust", "--revoke"],
    ["hook list", "hook status"],
    ["hook uninstall codex", "hook remove"],
    ["hook instal", "hook install"],
    ["config show", "config list"],
    ["config delete hub.agents", "config unset"],
    ["mcp rm acme", "mcp remove"],
  ])("%s is answered with %s", async (typed, meant) => {
    const { exitCode, stderr } = await createSandbox().skillet(typed.split(" "));
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(`\n  Did you mean ${meant}?\n`),
    });
  });

  test.each(["hook qqqqqq", "yes", "trust qqqqqq"])(
    "%s resembles nothing, so nothing is suggested",
    async (typed) => {
      const { exitCode, stderr } = await createSandbox().skillet(typed.split(" "));
      expect({ exitCode, isSuggested: stderr.includes("Did you mean") }).toEqual({
        exitCode: 2,
        isSuggested: false,
      });
    },
  );

  test.each([
    ["--color", { NO_COLOR: "1" }, true],
    ["--no-color", { FORCE_COLOR: "1" }, false],
  ] as const)("%s decides, whatever the environment says", async (flag, environment, hasColour) => {
    const { stdout } = await createSandbox().skillet(["show", flag], { environment });
    expect(stdout.includes("\u001b[")).toBe(hasColour);
  });

  test("a colour flag after -- is for the script", async () => {
    const run = await createSandbox().skillet(["run", "hello-world", "nothing.sh", "--", "--color"]);
    expect(run.stderr).not.toContain("\u001b[");
  });

  test("escapes in an argument do not reach the terminal", async () => {
    const run = await createSandbox().skillet(["sh\x1b[2Jow\x9b"], { environment: { FORCE_COLOR: "1" } });
    expect(run.stderr).toContain("sh␛[2Jow");
    expect(run.stderr).not.toContain("\x1b[2J");
    expect(run.stderr).not.toContain("\x9b");
  });

  test.each([
    ["--workspace", "nowhere"],
    ["--skills-root", "nowhere"],
  ])("%s names a folder that does not exist: wrong use of any command", async (option, folder) => {
    const sandbox = createSandbox();
    for (const command of ["show", "doctor"])
      expect(await sandbox.skillet([command, option, folder])).toEqual({
        exitCode: 2,
        stdout: "",
        stderr: `error: There is no folder ${join(sandbox.project, folder)}.\n  Pass a folder that exists and that you may enter.\n`,
      });
  });

  test("a folder whose name no file system takes is wrong use, not a failure of Skillet", async () => {
    const { exitCode, document } = await createSandbox().json(["show", "--workspace", "n".repeat(300)]);
    expect({ exitCode, code: document.error.code }).toEqual({ exitCode: 2, code: "folder-missing" });
  });

  test("doctor takes no arguments of its own", async () => {
    const { exitCode, stderr } = await createSandbox().skillet(["doctor", "pdf"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Too many arguments for 'doctor'");
  });

  test("a working directory that is gone is said to be", async () => {
    const sandbox = createSandbox();
    const script = `mkdir gone && cd gone && rmdir ../gone && exec "${process.execPath}" "${LAUNCHER}" show`;
    const run = spawnSync("sh", ["-c", script], { cwd: sandbox.project, encoding: "utf8" });
    expect(run.status).toBe(2);
    expect(run.stderr).toContain("The working directory no longer exists.");
  });

  test("before it was built, it says how to build it", () => {
    const copy = mkdtempSync(join(tmpdir(), "skillet-unbuilt-"));
    try {
      cpSync(join(PACKAGE, "bin"), join(copy, "bin"), { recursive: true });
      cpSync(join(PACKAGE, "package.json"), join(copy, "package.json"));
      const run = (): string =>
        execFileSync(process.execPath, [join(copy, "bin/skillet.cjs"), "show"], {
          encoding: "utf8",
          stdio: "pipe",
        });
      expect(run).toThrow(
        expect.objectContaining({
          status: 2,
          stderr: "error: skillet is not built yet.\nRun: npm run build\n",
        }),
      );
    } finally {
      rmSync(copy, { recursive: true });
    }
  });
});
