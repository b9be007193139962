// The parts of MCP that commands use; built as a separate file.
import { runProcess } from "@skillet/kit/process";
import { findProgram } from "@skillet/kit/program";

export { mcpSource, verifyServer } from "@skillet/mcp/client";
export { serveHttp, serveStdio } from "@skillet/mcp/server";
/** Runs another tool's own command and waits for it; undefined if the tool is not installed. */
export async function runTool(
  [name = "", ...args]: readonly string[],
  { cwd, environment }: { cwd: string; environment: Readonly<Record<string, string | undefined>> },
): Promise<{ readonly isDone: boolean; readonly output: string } | undefined> {
  const program = findProgram(name, environment);
  if (program === undefined) return undefined;
  const given = Object.entries(environment).filter(([, value]) => value !== undefined);
  const { exitCode, stdout, stderr } = await runProcess({
    argv: [program, ...args],
    cwd,
    deadlineMs: 60_000,
    environment: Object.fromEntries(given) as Record<string, string>,
  });
  const output = Buffer.concat([stdout.head, stderr.head]).toString().trim().slice(0, 1000);
  return { isDone: exitCode === 0, output };
}
