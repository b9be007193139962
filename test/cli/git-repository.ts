import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Sandbox, skillText } from "./sandbox.ts";

/** Whether there is a git to make repositories with. */
export const HAS_GIT: boolean = spawnSync("git", ["--version"]).status === 0;

/** A real repository in a sandbox. */
export interface GitRepository {
  readonly url: string;
  /** Writes files and commits everything; gives the commit. */
  commit(files: Readonly<Record<string, string>>): string;
  /** Runs git in it. */
  git(...args: readonly string[]): string;
  remove(): void;
}

/** Makes a repository with the skills `deploy` and `report`. */
export function createRepository(sandbox: Sandbox): GitRepository {
  const folder = join(sandbox.root, "remote");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.test", ...args], {
      env: { PATH: process.env.PATH ?? "", HOME: sandbox.home, GIT_CONFIG_NOSYSTEM: "1" },
      encoding: "utf8",
    }).trim();
  const commit = (files: Readonly<Record<string, string>>): string => {
    for (const [path, text] of Object.entries(files)) sandbox.write(`remote/${path}`, text);
    git("add", "-A");
    git("commit", "-qm", "change");
    return git("rev-parse", "HEAD");
  };
  sandbox.write("remote/README.md", "Skills.\n");
  git("init", "-q", "-b", "main");
  commit({
    "skills/deploy/SKILL.md": skillText("deploy"),
    "skills/report/SKILL.md": skillText("report"),
    "skills/report/references/style.md": "Short sentences.\n",
  });
  return {
    url: pathToFileURL(folder).href,
    commit,
    git,
    remove: () => rmSync(folder, { recursive: true }),
  };
}
