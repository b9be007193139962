// What reads the commands of agents; loaded for calls of a shell.
export { readAgentCommand } from "@skillet/core/internal";
