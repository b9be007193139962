// What says which skill a call uses; loaded for calls of a shell, and for those that name a file.
export { createUseDetector, isKnownProgram, readAgentCommand } from "@skillet/core/internal";
