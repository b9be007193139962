import type { Rule } from "../finding/rule.ts";
import { ruleText } from "./rule-texts.ts";

/** Not found by facts: `judgeReport` makes it of what a judge says. */
export const RD1: Rule = { ...ruleText("RD1"), find: () => [] };

/** Not found by facts alone: `weighSkill` makes it of all that the other rules found. */
export const CX3: Rule = { ...ruleText("CX3"), find: () => [] };
