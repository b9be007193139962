import { SkilletError } from "@skillet/kit/errors";
import { createByteQueue } from "./bridge/byte-queue.ts";
import { multiplex } from "./bridge/multiplex.ts";
import { MULTIPLEX_LIMITS } from "./bridge/multiplex-limits.ts";
import { readFrames } from "./bridge/read-frames.ts";
import { runBridge } from "./bridge/run-bridge.ts";
import { writeFrame } from "./bridge/write-frame.ts";
import { BRIDGE_PORT } from "./proxy-environment.ts";

/** With which the bridge ends when it cannot listen; then the script was not started, and standard error says why. */
export const BRIDGE_FAILED_EXIT_CODE = 125;

// Node closes the descriptors up to here for the programs it starts, and higher ones only up to the first gap.
const MAX_DESCRIPTOR = 15;
// The script has a memory limit, and the bridge lives under it.
const NODE_OPTIONS: readonly string[] = ["--max-old-space-size=64", "--v8-pool-size=1"];

/**
 * The arguments with which Node becomes the bridge between the sandbox and `serveNetwork`; the script's own program and
 * arguments follow them.
 */
export function bridgeArguments(descriptor: number): readonly string[] {
  if (!Number.isInteger(descriptor) || descriptor < 3 || descriptor > MAX_DESCRIPTOR)
    throw new SkilletError(
      "bridge-descriptor-invalid",
      `The network bridge was given the descriptor ${descriptor}: pass one from 3 to ${MAX_DESCRIPTOR}, which Node closes for the script.`,
    );
  return [...NODE_OPTIONS, "-e", bridgeProgram(), "--", String(descriptor)];
}

function bridgeProgram(): string {
  const { stringify } = JSON;
  return [
    // Some compilers wrap functions in a call of this helper, which their texts then need.
    "const __name = (value) => value;",
    `(${runBridge})({`,
    `multiplex: ${multiplex},`,
    `parts: { readFrames: ${readFrames}, writeFrame: ${writeFrame}, createByteQueue: ${createByteQueue} },`,
    `limits: ${stringify(MULTIPLEX_LIMITS)}, port: ${BRIDGE_PORT}, failedExitCode: ${BRIDGE_FAILED_EXIT_CODE} });`,
  ].join("\n");
}
