import { spawn } from "node:child_process";
import { lchownSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type OpenSkillsOptions, openSkills, type Skills } from "@skillet/core";
import { createSandbox, LAUNCHER, type Sandbox, skillText } from "../cli/sandbox.ts";

/** A machine of its own with one skill of the user's, `mine`, that nothing hostile may take away. */
export interface Place extends Sandbox {
  /** Opens the registry from the project, with the user's home and nothing of this machine. */
  open(options?: OpenSkillsOptions): Promise<Skills>;
  /** Makes a link below the sandbox's root. */
  link(path: string, target: string): void;
  /** Runs the command and ends it after so many seconds, so that one that waits cannot hold the tests up. */
  within(seconds: number, args: readonly string[]): Promise<BoundedRun>;
}

/** What a bounded run gave; `signal` is set when the process was ended or ended itself by one. */
interface BoundedRun {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** The skill that every test expects to stay. */
const MINE = "home/.claude/skills/mine/SKILL.md";

/** Makes a machine with the user's own skill in it. */
export function createPlace(): Place {
  const sandbox = createSandbox();
  const { root, home, project } = sandbox;
  sandbox.write(MINE, skillText("mine"));
  const environment = { HOME: home, PATH: process.env.PATH };
  return {
    ...sandbox,
    open: (options = {}) =>
      openSkills({
        workspace: project,
        userHome: home,
        environment,
        organisationDirectory: join(root, "organisation"),
        bundledDirectory: false,
        ...options,
      }),
    link: (path, target) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(target, join(root, path));
    },
    within: (seconds, args) => runWithin(seconds, args, sandbox),
  };
}

/** Every skill as `qualified name, state`, which is all that most tests compare. */
export function standing({ snapshot }: Skills): string[] {
  return snapshot.skills.map(({ qualifiedName, state }) => `${qualifiedName} ${state}`);
}

/** The codes of the snapshot's own diagnostics, in its order. */
export function codes({ snapshot }: Skills): string[] {
  return snapshot.diagnostics.map(({ code }) => code);
}

/** Runs an action as somebody whom permissions bind; a tree of root's must be given away before. */
export async function asOrdinaryUser<Result>(root: string, action: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return action();
  giveAway(root);
  process.seteuid?.(NOBODY);
  try {
    return await action();
  } finally {
    process.seteuid?.(0);
  }
}

const NOBODY = 65_534;

function giveAway(path: string): void {
  lchownSync(path, NOBODY, NOBODY);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveAway(join(path, name));
}

function runWithin(seconds: number, args: readonly string[], sandbox: Sandbox): Promise<BoundedRun> {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: sandbox.project,
    env: { HOME: sandbox.home, PATH },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: seconds * 1000,
    killSignal: "SIGKILL",
  });
  const stderr: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) =>
      resolve({ exitCode, signal, stderr: Buffer.concat(stderr).toString() }),
    );
  });
}
