import type { createUseDetector } from "./create-use-detector.ts";

/** Loads the detector that tells from an agent's commands and reads which skills it uses. */
export interface UseDetectorModule {
  readonly createUseDetector: typeof createUseDetector;
}

/** Loads the detector when it is first asked for: most sessions are told nothing of what the agent does. */
export function loadUseDetector(): Promise<UseDetectorModule> {
  return import("./create-use-detector.ts");
}
