import { isAbsolute, resolve } from "node:path";
import { SCRIPT_TOOL } from "../../config/tool-rule/tool-name.ts";
import type { ToolRule } from "../../config/tool-rule/tool-rule.ts";
import type { ShellAct } from "../shell/shell-act.ts";
import { touchesAct } from "../shell/touches-act.ts";
import type { CallSubject } from "./call-subject.ts";
import { fitsName } from "./cover-call.ts";
import { touchesPath } from "./match-path.ts";

/** Whether a call may be what a rule that denies or asks speaks about; in doubt it is. */
export function touchesCall(rule: ToolRule, subject: CallSubject): boolean {
  if (subject.kind === "shell" && subject.acts.some((act) => touchesFile(rule, act))) return true;
  if (!fitsName(rule.tool, subject.tool)) return false;
  if (rule.kind === "tool" || subject.kind === "whole") return true;
  switch (rule.kind) {
    case "shell":
      return subject.kind === "shell" && subject.acts.some((act) => touchesAct(rule, act));
    case "path":
      return subject.kind === "path" && rule.patterns.some((pattern) => touchesPath(pattern, subject.path));
    case "domain": {
      if (subject.kind !== "domain") return false;
      const { domain } = rule;
      return subject.domain === domain || subject.domain.endsWith(`.${domain}`);
    }
    case "value": {
      if (subject.kind !== "value") return false;
      const value = fold(rule.value);
      const starts = subject.tool === SCRIPT_TOOL ? `${value}:` : `${value} `;
      return [subject.value, ...(subject.aliases ?? []), ...(subject.shared ?? [])]
        .map(fold)
        .some((given) => given === value || given.startsWith(starts));
    }
  }
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

// Who may not write may not redirect either.
function touchesFile(rule: ToolRule, act: ShellAct): boolean {
  if (act.kind === "command") return act.runs?.acts.some((inner) => touchesFile(rule, inner)) ?? false;
  if (act.kind === "unclear" || rule.tool.name === "" || !fitsName(rule.tool, act.kind)) return false;
  const { path } = act;
  if (rule.kind !== "path" || path === undefined || !isAbsolute(path)) return true;
  return rule.patterns.some((pattern) => touchesPath(pattern, resolve(path)));
}
