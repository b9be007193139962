/** Loads the detector when it is first asked for: most sessions are told nothing of what the agent does. */
export function loadUseDetector(): Promise<typeof import("./create-use-detector.ts")> {
  return import("./create-use-detector.ts");
}
