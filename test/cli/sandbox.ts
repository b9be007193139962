import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The command as people start it. */
export const LAUNCHER: string = fileURLToPath(new URL("../../packages/cli/bin/skillet.cjs", import.meta.url));

const { version } = JSON.parse(
  readFileSync(new URL("../../packages/cli/package.json", import.meta.url), "utf8"),
) as { readonly version: string };

const { loadBundle } = createRequire(import.meta.url)("../../packages/cli/bin/load-bundle.cjs") as {
  readonly loadBundle: (name: string) => typeof import("../../packages/cli/src/main.ts");
};

/** What a run of the real command gave. */
interface Run {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How one run differs from the usual: no terminal, 80 columns, the project as working directory. */
interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
}

/** An empty machine of its own: a home, a project that is a repository, and the real command. */
export interface Sandbox {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  /** Writes a file below the sandbox's root and returns its path. */
  write(path: string, content: string | Uint8Array): string;
  skillet(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Runs a command with `--json` and parses the one document it printed. */
  json(
    args: readonly string[],
    options?: RunOptions,
  ): Promise<{ readonly exitCode: number | null; readonly document: Document }>;
}

// biome-ignore lint/suspicious/noExplicitAny: documents differ by command, and tests compare them whole
export type Document = any;

/** Whether there is a terminal to run commands on: `script` of util-linux makes one. */
export const HAS_TERMINAL: boolean = spawnSync("script", ["--version"]).status === 0;

/** Runs the command on a terminal of 80 columns and types an answer when it asks. */
export function onTerminal(
  sandbox: Sandbox,
  args: readonly string[],
  answer = "",
): Promise<{ readonly exitCode: number | null; readonly screen: string }> {
  return new Promise((resolve, reject) => {
    const words = [process.execPath, LAUNCHER, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    const child = spawn("script", ["-qec", `stty cols 80; ${words.join(" ")}`, "/dev/null"], {
      cwd: sandbox.project,
      env: { HOME: sandbox.home, PATH: process.env.PATH, TERM: "xterm", NO_COLOR: "1" },
    });
    let screen = "";
    let answered = false;
    child.stdout.on("data", (chunk) => {
      screen += chunk;
      if (answered || !/\[y\/(?:a\/)?N\]/.test(screen)) return;
      answered = true;
      child.stdin.write(answer);
    });
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, screen: screen.replaceAll("\r\n", "\n") }));
  });
}

/** Makes a sandbox that is removed when the test ends. */
export function createSandbox(): Sandbox {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-cli-")));
  onTestFinished(() => {
    // A test may have taken permissions away.
    chmodSync(root, 0o755);
    rmSync(root, { recursive: true, force: true });
  });
  const home = join(root, "home");
  const project = join(root, "project");
  mkdirSync(home);
  mkdirSync(join(project, ".git"), { recursive: true });
  const skillet = (args: readonly string[], options: RunOptions = {}): Promise<Run> => {
    const { PATH = "" } = process.env;
    const environment = { HOME: home, SKILLET_HOME: join(home, ".skillet"), PATH, ...options.environment };
    const start = isRunning ? runProcess : runHere;
    return start(args, environment, options.workingDirectory ?? project);
  };
  return {
    root,
    home,
    project,
    write: (path, content) => {
      const absolute = join(root, path);
      mkdirSync(dirname(absolute), { recursive: true });
      writeFileSync(absolute, content);
      return absolute;
    },
    skillet,
    json: async (args, options) => {
      const { exitCode, stdout, stderr } = await skillet([...args, "--json"], options);
      if (stdout === "") throw new Error(`No document on standard output; standard error: ${stderr}`);
      return { exitCode, document: JSON.parse(stdout) };
    },
  };
}

/** The text of a plain, valid SKILL.md. */
export function skillText(
  name: string,
  description = `Does ${name} things. Use when asked for ${name}.`,
): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nDo it.\n`;
}

let isRunning = false;

/**
 * Runs the built command in this process, which saves most of a test's time: starting Node and loading the scanner takes
 * longer than what is tested. The launcher's own part is tested by usage, start-up, terminals and every page of the docs.
 */
async function runHere(
  args: readonly string[],
  environment: Record<string, string>,
  workingDirectory: string,
): Promise<Run> {
  const { runSkillet } = loadBundle("main.cjs");
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const before = { environment: process.env, workingDirectory: process.cwd() };
  isRunning = true;
  process.env = { ...environment };
  process.chdir(workingDirectory);
  try {
    const exitCode = await runSkillet(args, {
      version,
      stdout: { write: (text) => output.stdout.push(Buffer.from(text as string)) },
      stderr: { write: (text) => output.stderr.push(Buffer.from(text as string)) },
      environment: process.env,
      workingDirectory,
      readInput: async () => undefined,
    });
    return {
      exitCode,
      stdout: Buffer.concat(output.stdout).toString(),
      stderr: Buffer.concat(output.stderr).toString(),
    };
  } finally {
    process.chdir(before.workingDirectory);
    process.env = before.environment;
    isRunning = false;
  }
}

function runProcess(
  args: readonly string[],
  environment: Record<string, string>,
  workingDirectory: string,
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [LAUNCHER, ...args], {
      cwd: workingDirectory,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", reject);
    child.on("close", (exitCode) => {
      resolve({
        exitCode,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      });
    });
  });
}
