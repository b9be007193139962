import { parseToolRule } from "../../config/tool-rule/parse-tool-rule.ts";
import type { ToolRule } from "../../config/tool-rule/tool-rule.ts";
import { readCall } from "../tool/call-subject.ts";
import { coverCall } from "../tool/cover-call.ts";

const DIRECTORIES = { project: "/project", home: "/home/me", skill: "/skills/one" };

/** The rules for entries of `allowed-tools`; throws if an entry is not a rule. */
export function toolRules(...entries: readonly string[]): readonly ToolRule[] {
  return entries.map((entry) => {
    const reading = parseToolRule(entry, DIRECTORIES);
    if ("problem" in reading) throw new Error(`${entry} ${reading.problem}`);
    return reading.rule;
  });
}

/** `covered`, or why rules do not cover a call of a tool. */
export function coverTool(tool: string, input: unknown, ...entries: readonly string[]): string {
  const cover = coverCall(toolRules(...entries), readCall({ tool, input }, DIRECTORIES));
  return "rules" in cover ? "covered" : cover.reason;
}

/** `covered`, or why rules do not cover a shell command. */
export function coverCommand(command: string, ...entries: readonly string[]): string {
  return coverTool("Bash", command, ...entries);
}
