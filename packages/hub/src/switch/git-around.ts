import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { runProcess } from "@skillet/kit/process";
import { findProgram } from "@skillet/kit/program";
import type { HubParts } from "../plan/hub-parts.ts";

type Environment = HubParts["environment"];

/** Whether git tracks a path; true if that cannot be determined. */
export async function isTracked(environment: Environment, path: string): Promise<boolean> {
  const around = repositoryAround(dirname(path));
  if (around === undefined) return false;
  const name = `:(literal)${relative(around, path)}`;
  return (await runGit(environment, around, ["ls-files", "-z", "--", name])) !== "";
}

/** The nearest folder with a `.git`: the given one or a parent. */
export function repositoryAround(folder: string): string | undefined {
  for (let around = folder; ; around = dirname(around)) {
    if (existsSync(join(around, ".git"))) return around;
    if (dirname(around) === around) return undefined;
  }
}

/** The output of a git command in a repository, without the final line end; undefined if it fails. */
export async function runGit(
  environment: Environment,
  repository: string,
  args: readonly string[],
): Promise<string | undefined> {
  const program = findProgram("git", environment);
  if (program === undefined) return undefined;
  // Disables settings that start programs, whatever the repository's config says. Never fetches, writes or waits.
  const quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks"];
  // Named explicitly, because git accepts any folder whose plain files look like a repository.
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
