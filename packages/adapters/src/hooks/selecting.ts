// The code that ranks skills for prompts; loaded when a prompt arrives.
export { createSelector } from "@skillet/select";
