import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { runProcess } from "@skillet/kit/process";
import { findProgram } from "@skillet/kit/program";
import type { HubParts } from "../plan/hub-parts.ts";

type Environment = HubParts["environment"];

/** Whether git has a path under version control, or it cannot be told: then it counts as if it had. */
export async function isTracked(environment: Environment, path: string): Promise<boolean> {
  const around = repositoryAround(dirname(path));
  if (around === undefined) return false;
  const name = `:(literal)${relative(around, path)}`;
  return (await runGit(environment, around, ["ls-files", "-z", "--", name])) !== "";
}

/** The folder with a `.git` that a folder is or lies in. */
export function repositoryAround(folder: string): string | undefined {
  for (let around = folder; ; around = dirname(around)) {
    if (existsSync(join(around, ".git"))) return around;
    if (dirname(around) === around) return undefined;
  }
}

/** What a command of git prints in a repository, without the end of its line; undefined where it fails. */
export async function runGit(
  environment: Environment,
  repository: string,
  args: readonly string[],
): Promise<string | undefined> {
  const program = findProgram("git", environment);
  if (program === undefined) return undefined;
  // Settings that start programs, whatever the repository's config says. Nothing is fetched, written or waited for.
  const quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks"];
  // Named, since git takes any folder for a repository whose plain files look like one.
  const named = [`--git-dir=${join(repository, ".git")}`, `--work-tree=${repository}`];
  const { ending, exitCode, stdout } = await runProcess({
    argv: [program, ...quiet, ...named, ...args],
    environment: {
      PATH: environment.PATH ?? "",
      HOME: environment.HOME ?? "",
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: "",
    },
    cwd: repository,
    deadlineMs: 30_000,
  });
  if (ending !== "exit" || exitCode !== 0) return undefined;
  return Buffer.from(stdout.head).toString().replace(/\n$/, "");
}
