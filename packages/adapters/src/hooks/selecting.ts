// What ranks skills against prompts; loaded when a prompt comes.
export { createSelector } from "@skillet/select";
