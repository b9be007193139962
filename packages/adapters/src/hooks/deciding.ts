// The code that judges tool calls; loaded when a skill narrows them or a rule names a tool.
export { checkToolCall, narrowingOf } from "@skillet/core";
