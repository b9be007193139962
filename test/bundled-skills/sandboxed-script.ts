import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { LAUNCHER, type Sandbox } from "../cli/sandbox.ts";
import { scriptPath } from "./temporary-repository.ts";

/** Whether scripts can be run in a sandbox here; CI installs what that takes. */
export const HAS_SANDBOX: boolean =
  existsSync(LAUNCHER) && spawnSync("bwrap", ["--version"], { stdio: "ignore" }).status === 0;

if (!HAS_SANDBOX) console.warn("Skipped: bundled scripts in a sandbox, because there is no bwrap.");

/** What a bundled script gave, run as people run it: by name, in the sandbox, with nothing but the workspace to read. */
export async function runInSandbox(
  sandbox: Sandbox,
  script: `${string}:scripts/${string}`,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<{ readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }> {
  const [skill = "", path = ""] = script.split(":");
  const roots = ["--skills-root", scriptPath("")];
  return sandbox.skillet(["run", skill, path, ...roots, "--allow", script, ...flags, "--", ...args]);
}
