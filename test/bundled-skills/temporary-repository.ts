import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const SKILLS: string = fileURLToPath(new URL("../../skills/", import.meta.url));

/** What a finished command left behind. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "bundled skill ")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Where a bundled skill's script lies. */
export function scriptPath(script: string): string {
  return join(SKILLS, script);
}

/** Runs a bundled skill's script (`review-change/scripts/summarise-diff.mjs`) as a user would. */
export function runScript(script: string, args: readonly string[], options: { cwd?: string } = {}): Outcome {
  return run(scriptPath(script), args, options.cwd ?? SKILLS);
}

/** A real git repository in a temporary folder, cut off from the configuration of whoever runs the tests. */
export class TemporaryRepository {
  readonly folder: string = join(temporaryFolder(), "repository");

  constructor() {
    mkdirSync(this.folder);
    this.git("init", "--quiet", "--initial-branch=main");
  }

  git(...args: string[]): string {
    const { status, stdout, stderr } = run("git", args, this.folder);
    if (status !== 0) throw new Error(`git ${args.join(" ")} ended with ${status}: ${stderr}`);
    return stdout.trim();
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  /** Writes the files, commits everything, and returns the hash. */
  commit(message: string, files: Readonly<Record<string, string>> = {}): string {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", message);
    return this.git("rev-parse", "HEAD");
  }

  /** A digest of every file and link, `.git` included: equal before and after means that nothing was written. */
  fingerprint(): string {
    const hash = createHash("sha256");
    for (const entry of readdirSync(this.folder, { recursive: true, withFileTypes: true }).sort(byPath)) {
      const path = join(entry.parentPath, entry.name);
      hash.update(`${path}\0`);
      if (entry.isFile()) hash.update(readFileSync(path));
      if (entry.isSymbolicLink()) hash.update(readlinkSync(path));
    }
    return hash.digest("hex");
  }
}

function byPath(a: { parentPath: string; name: string }, b: { parentPath: string; name: string }): number {
  return join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1;
}

function run(command: string, args: readonly string[], cwd: string): Outcome {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env: cleanEnvironment(),
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  // A hook or a user's configuration must reach neither the repositories nor, worse, the one under test.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...Object.fromEntries(inherited),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Test",
    GIT_AUTHOR_EMAIL: "test@example.test",
    GIT_COMMITTER_NAME: "Test",
    GIT_COMMITTER_EMAIL: "test@example.test",
  };
}
