import type { PolicyRule } from "../config/config.ts";
import { describeOrigin } from "../config/config-layer.ts";

/** A rule of the configuration as it was written, with where it stands. */
export function showRule(rule: PolicyRule): string {
  const { skill, origin, tool, mode, source, action } = rule;
  const fields = Object.entries({ skill, origin, tool, mode, source, action }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${/^[\w-]+$/.test(value) ? value : JSON.stringify(value)}`],
  );
  return `{ ${fields.join(", ")} } in ${describeOrigin(rule.from)}`;
}
