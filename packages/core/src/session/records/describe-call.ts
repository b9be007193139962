import { inspect } from "node:util";
import type { ToolCall } from "../../policy/tool-call.ts";

/** A tool call on one line, whatever the host passes: not every value is JSON. */
export function describeCall({ tool, input }: ToolCall): string {
  if (input === undefined) return tool;
  const text =
    typeof input === "string" ? input : inspect(input, { depth: 3, breakLength: Number.POSITIVE_INFINITY });
  return `${tool} ${text}`;
}
