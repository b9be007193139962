import type { Rule } from "../finding/rule.ts";
import { ruleText } from "./rule-texts.ts";

/** Not found by facts: `judgeReport` makes it of what a judge says. */
export const RD1: Rule = { ...ruleText("RD1"), find: () => [] };
