import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { ScriptOutputListener } from "./script-runner.ts";

/** Hands a script's output on to the host; one that fails is not called again, and costs neither run nor record. */
export class OutputRelay {
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

  /** What went wrong in the host, as a warning. */
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
