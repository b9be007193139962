// The code that detects which skill a call uses; loaded for shell calls, and for calls that name a file.
export { createUseDetector, isKnownProgram, readAgentCommand } from "@skillet/core/internal";
