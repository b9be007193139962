import { AsyncLocalStorage } from "node:async_hooks";
import type { CalledBy } from "../../ask.ts";

// Carried along with the call, because what is recorded for it is written in a dozen places.
const calls = new AsyncLocalStorage<CalledBy>();

// Hosts and models choose them.
const MAX_CHARACTERS = 200;

/** Runs an action whose records name the call of the host's loop that it is done for. */
export function recordedAs<Result>(by: CalledBy | undefined, action: () => Result): Result {
  return by === undefined ? action() : calls.run(by, action);
}

/** For the record that is being written: the call that it is written for. */
export function currentCall(): { readonly host?: string; readonly callId?: string } {
  const { host, callId } = calls.getStore() ?? {};
  return {
    ...(typeof host === "string" && { host: host.slice(0, MAX_CHARACTERS) }),
    ...(typeof callId === "string" && { callId: callId.slice(0, MAX_CHARACTERS) }),
  };
}
