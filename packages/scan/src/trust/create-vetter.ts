import { resolveHome } from "@skillet/core";
import { DEFAULT_SCAN_LIMITS } from "../scan-limits.ts";
import { RULE_SET } from "../scan-report.ts";
import { scanSkill } from "../scan-skill.ts";
import { ScanningVetter } from "./scanning-vetter.ts";
import type { FileScan, Vetter, VetterOptions } from "./vetter.ts";

/**
 * Makes the vetter that a registry takes: it scans skills by digest when first seen, and the trust table decides.
 *
 * @example
 * const skills = await openSkills({ vetter: createVetter() });
 */
export function createVetter(options: VetterOptions = {}): Vetter {
  const { home } = resolveHome(process.env, options);
  return new ScanningVetter({ scan: DEFAULT_SCAN, clock: Date.now, ...options, home });
}

const DEFAULT_SCAN: FileScan = { ruleSet: RULE_SET, bounds: DEFAULT_SCAN_LIMITS, run: scanSkill };
