import type { Diagnostic } from "@skillet/kit/diagnostics";
import {
  isRefusal,
  type PreparedScript,
  type ScriptCall,
  type ScriptOutcome,
  type ScriptOutputListener,
  type ScriptRefusal,
} from "../script-runner.ts";
import type { CheckedCall } from "./check-script-call.ts";

interface ScriptStart {
  readonly call: CheckedCall;
  readonly file: string;
  readonly signal?: AbortSignal;
  readonly onOutput: ScriptOutputListener | undefined;
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

/** Hands a script's output on to the host; one that fails is not called again, and costs neither run nor record. */
class OutputRelay {
  readonly #listener: ScriptOutputListener;
  #failure: { readonly reason: unknown } | undefined;

  constructor(listener: ScriptOutputListener) {
    this.#listener = listener;
  }

  readonly pass: ScriptOutputListener = (stream, bytes) => {
    if (this.#failure !== undefined) return;
    try {
      const given: unknown = this.#listener(stream, bytes);
      // A listener may be asynchronous for all that its type says, and nobody else waits for it.
      if (given instanceof Promise) given.catch((reason: unknown) => this.#note(reason));
    } catch (reason) {
      this.#note(reason);
    }
  };

  diagnostics(file: string): readonly Diagnostic[] {
    if (this.#failure === undefined) return [];
    const { reason } = this.#failure;
    const why = reason instanceof Error ? reason.message : String(reason);
    return [
      {
        code: "script-output-unheard",
        severity: "warning",
        message: `The host's onOutput failed, and was not called again: ${why}`,
        file,
        hint: "Handle errors inside onOutput; the output is in the result.",
      },
    ];
  }

  #note(reason: unknown): void {
    this.#failure ??= { reason };
  }
}
