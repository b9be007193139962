import type { SandboxReport, ScriptCall, ScriptGrants, ScriptOutcome, ScriptRefusal } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { present } from "@skillet/kit/json";
import { createRedactor } from "./output/create-redactor.ts";
import { watchOutput } from "./output/watch-output.ts";
import { collectOutput, outcomeOf } from "./sandbox/local-sandbox.ts";
import type { Sandbox, SandboxJob } from "./sandbox/sandbox.ts";
import { shortSecrets } from "./script-secrets.ts";

/** Runs a job and redacts the secrets in its script's output. */
export async function runJob(
  job: SandboxJob,
  sandbox: Sandbox,
  secrets: ScriptCall["secrets"],
): Promise<ScriptOutcome | ScriptRefusal> {
  const watch = watchOutput({
    redactor: createRedactor(secrets),
    maxBytes: job.limits.outputBytes,
    onOutput: job.onOutput,
  });
  try {
    const outcome = await sandbox.run({ ...job, onOutput: watch.listener });
    const { status, exitCode, signal, sandbox: report, durationMs, argv, cwd, limit } = outcome;
    return present<ScriptOutcome>({
      status,
      exitCode,
      signal,
      // Replaces the sandbox's own output, which contains the secrets; only the fields here are passed on.
      ...watch.finish(),
      sandbox: report,
      durationMs,
      argv,
      cwd,
      grants: grantsOf(job),
      limit,
      diagnostics: [...shortSecrets(secrets, job.script), ...(outcome.diagnostics ?? [])],
    });
  } catch (error) {
    const refusal = SkilletError.isInstance(error) ? REFUSALS.get(error.code) : undefined;
    if (refusal === undefined) throw error;
    return refuse(refusal, (error as SkilletError).message);
  }
}

// Errors that a sandbox throws before anything has run.
const REFUSALS: ReadonlyMap<string, ScriptRefusal["code"]> = new Map([
  ["sandbox-unavailable", "sandbox-unavailable"],
  ["sandbox-folder-refused", "permission-denied"],
  ["sandbox-argument-invalid", "permission-denied"],
]);

/** The outcome of a job that was cancelled while it waited. */
export function neverStarted(job: SandboxJob, sandbox: SandboxReport): ScriptOutcome {
  const result = collectOutput(job, () => undefined).finish({ ending: "cancelled" }, 0);
  return { ...outcomeOf({ result, argv: [], cwd: job.workspace ?? "" }, sandbox), grants: grantsOf(job) };
}

function grantsOf({ network, writable }: SandboxJob): ScriptGrants {
  const hosts = network.map(({ host, port }) => (port === undefined ? host : `${host}:${port}`));
  return { network: hosts, writable };
}

export function refuse(code: ScriptRefusal["code"], message: string): ScriptRefusal {
  return { status: "refused", code, message };
}
