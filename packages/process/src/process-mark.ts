import { randomBytes } from "node:crypto";

/** In the environment of every process of a run; finds those that left its group and lost their parents. */
export const MARK_NAME = "SKILLET_PROCESS_MARK";

/** A mark that no other run has. */
export function createMark(): string {
  return randomBytes(16).toString("hex");
}
