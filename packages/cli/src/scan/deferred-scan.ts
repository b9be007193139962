import { DEFAULT_SCAN_LIMITS, type FileScan, RULE_SET } from "@skillet/scan";
import { loadScanning } from "./load-scanning.ts";
import { type ParsedRules, parseUserRules } from "./parse-user-rules.ts";
import type { UserRules } from "./user-rules.ts";

/** A scan by the scanner's rules and a user's, which loads them when the first skill has to be scanned. */
export function deferredScan(userRules: UserRules): FileScan {
  const { ruleSet } = userRules;
  let parsed: ParsedRules | undefined;
  const rules = (): ParsedRules => {
    parsed ??= parseUserRules(userRules);
    return parsed;
  };
  return {
    ruleSet,
    bounds: DEFAULT_SCAN_LIMITS,
    prepare: async () => void rules(),
    run: async (files, options) => {
      const { packs, suppressions } = rules();
      const report = await loadScanning().scanSkill(files, { ...options, packs, suppressions });
      // A scanner of another build beside this command does not speak for its rules.
      return report.ruleSet === RULE_SET ? { ...report, ruleSet } : report;
    },
  };
}
