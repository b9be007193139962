// What judges tool calls; loaded when a call needs it.
export { checkToolCall, narrowingOf } from "@skillet/core";
export { createUseDetector, readAgentCommand } from "@skillet/core/internal";
