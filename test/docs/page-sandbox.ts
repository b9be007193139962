import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { repositoryPath } from "./pages.ts";

// No tool that a bundled skill asks for: whether gh is installed must not change what a page shows.
const TOOLS = ["cat", "cp", "echo", "grep", "head", "ln", "ls", "mkdir", "mv", "rm", "sh", "touch"];
const TIMEOUT_MS = 240_000;

/** What a run gave; both streams in one, as a terminal shows them. */
interface PageRun {
  readonly exitCode: number | null;
  readonly output: string;
}

/** An empty machine for one page: a home, a project in it, `skillet` and a few tools on the path. */
export interface PageSandbox {
  readonly home: string;
  readonly project: string;
  /** Writes a file; `~/` is the home, everything else lies in the project. */
  write(path: string, content: string): string;
  run(command: readonly [string, ...string[]]): Promise<PageRun>;
  remove(): void;
}

/** Makes a sandbox that is the same on every machine; the caller removes it. */
export function createPageSandbox(): PageSandbox {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-docs-")));
  const home = join(root, "home");
  const project = join(home, "project");
  const bin = join(root, "bin");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(bin);
  for (const tool of TOOLS) symlinkSync(findTool(tool), join(bin, tool));
  symlinkSync(process.execPath, join(bin, "node"));
  // Looked up, never started: the bundled skills that need them are then offered on every machine. Scripts are run by
  // the system's own python3.
  for (const name of ["git", "python3"])
    writeFileSync(join(bin, name), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  // In a checkout npx finds the command without installing anything.
  writeFileSync(join(bin, "npx"), '#!/bin/sh\n[ "$1" = skillet ] && shift && exec skillet "$@"\n', {
    mode: 0o755,
  });
  const shim = `#!${process.execPath}\nimport(${JSON.stringify(repositoryPath("packages/cli/bin/skillet.cjs"))});\n`;
  writeFileSync(join(bin, "skillet"), shim, { mode: 0o755 });
  // Resolved as an application that installed the package would; its own dependencies are found from where it lies.
  mkdirSync(join(root, "node_modules/@skillet"), { recursive: true });
  for (const name of ["adapters", "agent", "author", "core", "hub", "mcp", "run", "scan"])
    symlinkSync(repositoryPath(`packages/${name}`), join(root, "node_modules/@skillet", name));
  symlinkSync(repositoryPath("node_modules/@opentelemetry"), join(root, "node_modules/@opentelemetry"));
  return {
    home,
    project,
    write: (path, content) => {
      const absolute = path.startsWith("~/") ? join(home, path.slice(2)) : join(project, path);
      mkdirSync(dirname(absolute), { recursive: true });
      writeFileSync(absolute, content);
      return absolute;
    },
    run: (command) => run(command, project, { HOME: home, PATH: bin, COLUMNS: "80", LANG: "C.UTF-8" }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function findTool(name: string): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = folders
    .map((folder) => join(folder, name))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  if (found === undefined) throw new Error(`The pages need ${name} on the PATH; install it.`);
  return found;
}

function run(
  [file, ...args]: readonly [string, ...string[]],
  workingDirectory: string,
  environment: Readonly<Record<string, string>>,
): Promise<PageRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(environment.PATH ?? "", file), args, {
      cwd: workingDirectory,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, output: Buffer.concat(chunks).toString() }));
  });
}
