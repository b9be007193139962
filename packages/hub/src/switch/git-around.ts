import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { runProcess } from "@skillet/kit/process";
import { findProgram } from "@skillet/kit/program";
import type { HubParts } from "../plan/hub-parts.ts";

type Environment = HubParts["environment"];

/** Whether git has a path under version control, or it cannot be told: then it counts as if it had. */
export async function isTracked(environment: Environment, path: string): Promise<boolean> {
  let around = dirname(path);
  while (!existsSync(join(around, ".git"))) {
    if (dirname(around) === around) return false;
    around = dirname(around);
  }
  const files = await runGit(environment, dirname(path), [
    "ls-files",
    "-z",
    "--",
    `:(literal)${basename(path)}`,
  ]);
  return files !== "";
}

/** What a command of git prints, without the end of its line; undefined where it fails. */
export async function runGit(
  environment: Environment,
  cwd: string,
  args: readonly string[],
): Promise<string | undefined> {
  const program = findProgram("git", environment);
  if (program === undefined) return undefined;
  // Settings that start programs, whatever the repository's config says. Nothing is fetched, written or waited for.
  const quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks"];
  const { ending, exitCode, stdout } = await runProcess({
    argv: [program, ...quiet, ...args],
    environment: { PATH: environment.PATH ?? "", HOME: environment.HOME ?? "", GIT_NO_LAZY_FETCH: "1" },
    cwd,
    deadlineMs: 30_000,
  });
  if (ending !== "exit" || exitCode !== 0) return undefined;
  return Buffer.from(stdout.head).toString().replace(/\n$/, "");
}
