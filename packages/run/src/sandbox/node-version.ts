import { stat } from "node:fs/promises";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { DEFAULT_RUN_LIMITS } from "../run-limits.ts";
import type { Interpreter } from "../runtime/interpreter.ts";
import { runTrial } from "./probe-sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

const LIMITS = { ...DEFAULT_RUN_LIMITS, timeoutMs: 10_000, outputBytes: 4096 };

const asked = new WeakMap<Sandbox, Map<string, Promise<string | undefined>>>();

/**
 * The version of a node of this machine, which it is asked for in the sandbox like any script: what lies in PATH by that
 * name may be anything. Asked once for each program; undefined when it does not say.
 */
export async function nodeVersion(sandbox: Sandbox, node: Interpreter): Promise<string | undefined> {
  if (node.version !== undefined) return node.version;
  const stats = await stat(node.path, { bigint: true }).catch(undefinedOn("ENOENT"));
  if (stats === undefined) return undefined;
  const key = [node.path, stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(" ");
  const known = asked.get(sandbox) ?? new Map<string, Promise<string | undefined>>();
  asked.set(sandbox, known);
  const answer = known.get(key) ?? ask(sandbox, node);
  known.set(key, answer);
  try {
    const version = await answer;
    // What stood in the way may be gone the next time.
    if (version === undefined) known.delete(key);
    return version;
  } catch (error) {
    known.delete(key);
    throw error;
  }
}

async function ask(sandbox: Sandbox, node: Interpreter): Promise<string | undefined> {
  try {
    const { exitCode, stdout } = await runTrial(sandbox, {
      // Never read: node prints its version and ends.
      script: { name: "version.cjs", text: "" },
      interpreter: node,
      flags: ["--version"],
      limits: LIMITS,
    });
    return exitCode === 0 ? /^v(\d{1,4}\.\d{1,4}\.\d{1,4})\s*$/.exec(stdout)?.[1] : undefined;
  } catch (error) {
    // Built for another machine, for example: then nothing is known about it.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}
