import { callInvalid } from "@skillet/kit/errors";
import type { AgentEvent } from "./use-detector.ts";

/** Refuses an event that is none: hosts make it of whatever their tools were called with. */
export function checkAgentEvent(event: AgentEvent): void {
  if (typeof event !== "object" || event === null) throw callInvalid("The event", KINDS);
  const { kind, command, path, cwd }: Loose = event;
  if (kind !== "command" && kind !== "read") throw callInvalid("`kind` of the event", KINDS);
  if (kind === "read" && typeof path !== "string") throw callInvalid("`path` of the event", "a path");
  if (kind === "command" && typeof command !== "string" && !isTexts(command))
    throw callInvalid("`command` of the event", "a command line, or a program and its arguments");
  if (cwd !== undefined && typeof cwd !== "string")
    throw callInvalid("`cwd` of the event", "a path, or leave it out");
}

const KINDS = '{ kind: "command", command } or { kind: "read", path }';

type Loose = { readonly [Name in "kind" | "command" | "path" | "cwd"]?: unknown };

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
