import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { CheckedCall } from "./check-script-call.ts";
import { OutputRelay } from "./output-relay.ts";
import { isRefusal, type ScriptRefusal } from "./script-refusal.ts";
import type { PreparedScript, ScriptCall, ScriptOutcome, ScriptOutputListener } from "./script-runner.ts";

/** A script that nothing stands against any more. */
export interface ScriptStart {
  readonly call: CheckedCall;
  /** The script as the agent's tools see it, for warnings. */
  readonly file: string;
  readonly signal?: AbortSignal;
  readonly onOutput: ScriptOutputListener | undefined;
  /** What the session gives every script. */
  readonly frame: Pick<ScriptCall, "workspace" | "protect" | "secrets" | "runId">;
}

/** Runs a prepared script, and warns where nothing held it in or the host did not hear it. */
export async function startScript(
  prepared: PreparedScript,
  { call, file, signal, onOutput, frame }: ScriptStart,
): Promise<ScriptOutcome | ScriptRefusal> {
  const relay = onOutput && new OutputRelay(onOutput);
  const { path: _path, ...given } = call;
  const result = await prepared.run({
    ...given,
    ...frame,
    ...(signal !== undefined && { signal }),
    ...(relay && { onOutput: relay.pass }),
  });
  if (isRefusal(result)) return result;
  const own = [...unconfined(result, file), ...(relay?.diagnostics(file) ?? [])];
  return { ...result, diagnostics: [...result.diagnostics, ...own] };
}

function unconfined({ sandbox, diagnostics }: ScriptOutcome, file: string): readonly Diagnostic[] {
  const isKnown = diagnostics.some(({ code }) => code === "script-unconfined");
  if (sandbox.strength !== "none" || isKnown) return [];
  return [
    {
      code: "script-unconfined",
      severity: "warning",
      message: `The script ran without a sandbox (${sandbox.backend}): it could do all that this process can.`,
      file,
      hint: "Let it run in a sandbox unless it cannot work there.",
    },
  ];
}
