import { findLocalInterpreter } from "../../runtime/find-local-interpreter.ts";
import { nodeVersion } from "../../runtime/node-version.ts";
import type { Sandbox } from "../sandbox.ts";
import { reportUnconfined, runUnconfined } from "./run-unconfined.ts";

/**
 * Runs scripts with the rights of whoever calls, in a cleared environment; nothing holds them, and every record says so.
 *
 * @example
 * createRunner({ sandbox: noSandbox(), allow: ["pdf-forms:scripts/fill.py"] });
 */
export function noSandbox(): Sandbox {
  return unconfined("none");
}

/** The same for scripts that a profile names to run beside the host. */
export function hostSandbox(): Sandbox {
  return unconfined("host");
}

function unconfined(backend: "none" | "host"): Sandbox {
  const sandbox: Sandbox = {
    name: backend,
    probe: async () => ({ ok: true, report: reportUnconfined(backend) }),
    findInterpreter: async (name, distrusted) => findLocalInterpreter(name, distrusted),
    nodeVersion: (node) => nodeVersion(sandbox, node),
    run: (job) => runUnconfined(backend, job),
  };
  return sandbox;
}
