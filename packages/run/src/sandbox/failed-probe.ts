import { SkilletError } from "@skillet/kit/errors";
import type { SandboxProbe } from "./sandbox.ts";

/** What a probe says that could not be carried out; an error that is not the sandbox's is thrown again. */
export function failedProbe(error: unknown): SandboxProbe {
  if (!SkilletError.isInstance(error)) throw error;
  const { reason, fix } = error.data;
  return {
    ok: false,
    reason: typeof reason === "string" ? reason : error.message,
    ...(typeof fix === "string" && { fix }),
  };
}
