import { findLocalInterpreter } from "../../runtime/find-local-interpreter.ts";
import { nodeVersion } from "../../runtime/node-version.ts";
import { probeSandbox } from "../probe-sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { runJob } from "./run-job.ts";
import { inspectHost, type SandboxHost } from "./sandbox-host.ts";

/** How to find bubblewrap. */
export interface BubblewrapOptions {
  /** An absolute path; default: `bwrap` in the system's folders. */
  readonly program?: string;
}

/**
 * The sandbox of Linux: namespaces, an allowlist of what is mounted, a filter of system calls and limits.
 *
 * @example
 * const runner = createRunner({ sandbox: bubblewrap(), allow: ["pdf-forms:scripts/fill.py"] });
 */
export function bubblewrap(options: BubblewrapOptions = {}): Sandbox {
  let inspected: Promise<SandboxHost> | undefined;
  const host = (): Promise<SandboxHost> => {
    inspected ??= inspectHost(options.program).catch((error: unknown) => {
      // Somebody may install it while this process runs.
      inspected = undefined;
      throw error;
    });
    return inspected;
  };
  const sandbox: Sandbox = {
    name: "bubblewrap",
    probe: async (distrusted) =>
      process.platform === "linux"
        ? probeSandbox(sandbox, distrusted)
        : { ok: false, reason: "bubblewrap is the sandbox of Linux" },
    findInterpreter: async (name, distrusted) => findLocalInterpreter(name, distrusted),
    nodeVersion: (node) => nodeVersion(sandbox, node),
    run: async (job) => runJob(await host(), job),
  };
  return sandbox;
}
