import type { createUseDetector } from "@skillet/core";
import { loadSelecting } from "./load-selecting.ts";

/** Stands in for the module of core by which it loads its detector of use; the build puts it there. */
export async function loadUseDetector(): Promise<{ readonly createUseDetector: typeof createUseDetector }> {
  return loadSelecting();
}
