import { existsSync } from "node:fs";
import { configPath } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext } from "../command-context.ts";
import { openWorkspace, type Workspace } from "../open-workspace.ts";
import type { Finding } from "./finding.ts";

/** Whether every config file can be understood, and what in them has no effect. */
export async function checkConfig(context: CommandContext): Promise<readonly Finding[]> {
  const workspace = openWorkspace(context);
  const file = configPath(workspace.home);
  try {
    const { diagnostics } = await readConfig(workspace);
    const odd = diagnostics.map(
      (diagnostic): Finding => ({
        check: "config",
        status:
          diagnostic.severity === "error" ? "problem" : diagnostic.severity === "warning" ? "warning" : "ok",
        message: diagnostic.message,
        ...(diagnostic.hint !== undefined && { hint: diagnostic.hint }),
        file: diagnostic.file,
        ...(diagnostic.range && { line: diagnostic.range.line, column: diagnostic.range.column }),
      }),
    );
    const message = existsSync(file) ? "understood" : "none of yours yet, so the defaults hold";
    return odd.length > 0 ? odd : [{ check: "config", status: "ok", message, file }];
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return problemsOf(error, file);
  }
}

// A trust store that cannot be read is a finding of its own; no folder counts as trusted then.
async function readConfig(workspace: Workspace): ReturnType<Workspace["config"]> {
  try {
    return await workspace.config();
  } catch (error) {
    if (!SkilletError.isInstance(error) || error.code !== "trust-store-invalid") throw error;
    return workspace.config({ without: "project" });
  }
}

function problemsOf(error: SkilletError, file: string): readonly Finding[] {
  const { problems } = error.data;
  if (!Array.isArray(problems)) return [{ check: "config", status: "problem", message: error.message, file }];
  return problems.map(
    (problem: { file: string; line?: number; column?: number; message: string; hint: string }) => ({
      ...problem,
      check: "config",
      status: "problem",
    }),
  );
}
