import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "../../../../../kit/src/testing/temporary-directory.ts";
import type { ScriptCall, ScriptOutcome, ScriptRunner } from "../../script-runner.ts";

/** Runs scripts with sh from a copy of the skill, without any protection; `calls` records its calls. */
export interface TinyRunner extends ScriptRunner {
  readonly calls: ScriptCall[];
}

const MAX_STDOUT_CHARACTERS = 400_000;

/** Makes a runner that is just enough to see what a session asks for and how it reads the answer. */
export function tinyRunner(allow: readonly string[]): TinyRunner {
  const calls: ScriptCall[] = [];
  return {
    allow,
    calls,
    prepare: async ({ files, path, target }) => {
      const folder = temporaryDirectory();
      for await (const file of files) {
        const copy = join(folder, file.path);
        mkdirSync(dirname(copy), { recursive: true });
        writeFileSync(copy, file.bytes);
        chmodSync(copy, 0o755);
      }
      const run = (call: ScriptCall): Promise<ScriptOutcome> => {
        calls.push(call);
        return start(join(folder, path), call);
      };
      return { runtime: "sh", target, run };
    },
  };
}

function start(script: string, call: ScriptCall): Promise<ScriptOutcome> {
  return new Promise((resolve, reject) => {
    const argv = ["sh", script, ...call.args];
    const cwd = call.workspace ?? "/";
    const child = spawn("sh", argv.slice(1), { cwd, env: { PATH: process.env.PATH } });
    const written = { stdout: "", stderr: "" };
    let ended: ScriptOutcome["status"] = "executed";
    const end = (status: ScriptOutcome["status"]) => (): void => {
      ended = status;
      child.kill("SIGKILL");
    };
    const cancel = end("cancelled");
    const deadline = setTimeout(end("timed-out"), call.timeoutMs);
    call.signal?.addEventListener("abort", cancel);
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].on("data", (bytes: Buffer) => {
        written[stream] += bytes.toString();
        call.onOutput?.(stream, bytes);
      });
    child.stdin.on("error", () => undefined);
    child.stdin.end(call.stdin);
    child.on("error", reject);
    child.on("close", (exitCode, signal) => {
      clearTimeout(deadline);
      call.signal?.removeEventListener("abort", cancel);
      resolve({
        status: ended,
        ...(exitCode !== null && { exitCode }),
        ...(signal !== null && { signal }),
        stdout: written.stdout.slice(0, MAX_STDOUT_CHARACTERS),
        stderr: written.stderr,
        truncated: { stdout: written.stdout.length > MAX_STDOUT_CHARACTERS, stderr: false },
        sandbox: { backend: "tiny", strength: "none", weaknesses: [], memoryLimit: "none" },
        durationMs: 1,
        argv,
        cwd,
        diagnostics: [],
      });
    });
  });
}
