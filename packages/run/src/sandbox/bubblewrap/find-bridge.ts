import { SkilletError } from "@skillet/core";
import { findLocalInterpreter } from "../../runtime/find-local-interpreter.ts";
import type { Interpreter } from "../../runtime/interpreter.ts";

/** The Node that carries a script's connections out of the sandbox. */
export async function findBridge(): Promise<Interpreter> {
  const node = await findLocalInterpreter("node");
  if (node !== undefined) return node;
  throw new SkilletError(
    "sandbox-unavailable",
    "A script with a network grant needs Node in the sandbox, and none was found that could be mounted there. Install Node for the whole system, or run the script without the grant.",
  );
}
