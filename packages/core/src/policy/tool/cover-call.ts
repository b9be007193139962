import { isAbsolute } from "node:path";
import { SCRIPT_TOOL } from "../../config/tool-rule/tool-name.ts";
import type { DomainRule, ToolName, ToolRule, ValueRule } from "../../config/tool-rule/tool-rule.ts";
import { type Cover, coverAct } from "../shell/cover-act.ts";
import type { FileAct } from "../shell/shell-act.ts";
import type { CallSubject } from "./call-subject.ts";
import { coversPath } from "./match-path.ts";

/** Finds the rules that cover a call, every command of it when it is one for a shell; or says what is not covered. */
export function coverCall(rules: readonly ToolRule[], subject: CallSubject): Cover {
  const whole = rules.find((rule) => rule.kind === "tool" && fitsName(rule.tool, subject.tool));
  if (whole !== undefined) return { rules: [whole] };
  if (subject.kind === "shell") return coverShell(rules, subject.acts);
  const rule = rules.find(
    (candidate) => fitsName(candidate.tool, subject.tool) && covers(candidate, subject),
  );
  if (rule !== undefined) return { rules: [rule] };
  return { reason: subject.kind === "whole" ? subject.reason : "it fits no rule" };
}

/** Whether a rule is for a tool. */
export function fitsName({ name, match }: ToolName, tool: string): boolean {
  return match === "prefix" ? tool.startsWith(name) : tool === name;
}

function coverShell(
  rules: readonly ToolRule[],
  acts: Extract<CallSubject, { kind: "shell" }>["acts"],
): Cover {
  if (acts.length === 0) return { reason: "it runs nothing" };
  const found = new Set<ToolRule>();
  for (const act of acts) {
    const cover = coverAct(act, rules, (file) => coverFile(rules, file));
    if ("reason" in cover) return cover;
    for (const rule of cover.rules) found.add(rule);
  }
  return { rules: [...found] };
}

// A redirection is the shell's own reading or writing, so it takes a rule for that.
function coverFile(rules: readonly ToolRule[], { kind, path }: FileAct): ToolRule | undefined {
  return rules.find((rule) => {
    if (path === undefined || !fitsName(rule.tool, kind)) return false;
    if (rule.kind === "tool") return true;
    // Relative to what, only the shell knows; and `..` may lead through a link.
    if (rule.kind !== "path" || path === undefined || !isAbsolute(path) || /(?:^|\/)\.\.(?:\/|$)/.test(path))
      return false;
    return rule.patterns.some((pattern) => coversPath(pattern, path));
  });
}

function covers(rule: ToolRule, subject: CallSubject): boolean {
  if (rule.kind === "path" && subject.kind === "path")
    return rule.patterns.some((pattern) => coversPath(pattern, subject.path));
  if (rule.kind === "domain" && subject.kind === "domain") return coversDomain(rule, subject.domain);
  return rule.kind === "value" && subject.kind === "value" && coversValue(rule, subject);
}

function coversDomain({ domain, match }: DomainRule, host: string): boolean {
  return match === "subdomains" ? host.endsWith(`.${domain}`) : host === domain;
}

function coversValue({ value, match }: ValueRule, subject: Extract<CallSubject, { kind: "value" }>): boolean {
  // What follows a skill's name are its scripts; a plugin of that name has skills there.
  const starts = subject.tool === SCRIPT_TOOL ? `${value}:scripts/` : `${value} `;
  return [subject.value, ...(subject.aliases ?? [])].some(
    (given) => given === value || (match === "prefix" && given.startsWith(starts)),
  );
}
