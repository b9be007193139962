import { SkilletError } from "@skillet/kit/errors";
import { findLocalInterpreter, findOwnNode } from "../../runtime/find-local-interpreter.ts";
import type { Interpreter } from "../../runtime/interpreter.ts";

/** The Node that carries a script's connections out of the sandbox: this one first, since a system's may be too old. */
export function findBridge(distrusted: readonly string[]): Interpreter {
  const node = findOwnNode() ?? findLocalInterpreter("node", distrusted);
  if (node !== undefined) return node;
  throw new SkilletError(
    "sandbox-unavailable",
    "A script with a network grant needs Node in the sandbox, and none was found that could be mounted there. Install Node for the whole system, or run the script without the grant.",
  );
}
