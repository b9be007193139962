import type { Scope, Skill, Skills, SkillUse } from "@skillet/core";
import { type KnownScan, stateOf, type UseRules } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { FindingSeverity, Verdict } from "@skillet/scan";
import type { Colours } from "./terminal.ts";

/** The verdict of an earlier scan of a skill that has not changed since. */
export interface ShownVerdict extends KnownScan {
  /** These exact bytes were approved, and nothing else lets them be offered. */
  readonly approved?: boolean;
}

/** A skill that its scan holds back is not shown as enabled, whatever the config says. */
export type ShownState = SkillUse["state"];

/** The rules of a session that the command could open, for lists: they read no folder to look for scripts. */
export function rulesOf({ config: { config, layers } }: Pick<Skills, "config">): UseRules {
  return {
    ...{ mode: config.policy.mode, interactive: true, layers, product: undefined },
    isAllowed: () => false,
    hasScripts: () => false,
  };
}

/** A verdict in words: `dangerous, approved` where only an approval lets the skill be offered. */
export function verdictWords({ verdict, approved }: ShownVerdict): string {
  return approved === true ? `${verdict}, approved` : verdict;
}

export function stateMark(state: ShownState, colours: Colours): string {
  switch (state) {
    case "enabled":
      return colours.green("✓");
    case "disabled":
      return colours.dim("○");
    case "unavailable":
    case "withheld":
      return colours.red("✗");
    case "untrusted":
    case "shadowed":
      return colours.yellow("!");
  }
}

export function scopeTitle(scope: Scope): string {
  return `[${TITLES[scope]} Skills]`;
}

const TITLES: Readonly<Record<Scope, string>> = {
  explicit: "Explicit",
  organisation: "Organisation",
  plugin: "Plugin",
  project: "Project",
  claude: "Claude",
  user: "User",
  bundled: "Bundled",
};

export function awaitsTrust(skill: Skill): boolean {
  return stateOf(skill, undefined) === "untrusted";
}

/** Faults that did not keep a skill from loading; that another skill has its name is part of its state. */
export function skillWarnings(skill: Skill): readonly Diagnostic[] {
  return skill.diagnostics.filter(({ severity, code }) => severity === "warning" && code !== "name-conflict");
}

export function verdictMark(verdict: Verdict, colours: Colours): string {
  return verdictPaint(verdict, colours)({ safe: "✓", caution: "!", dangerous: "✗" }[verdict]);
}

export function verdictPaint(verdict: Verdict, colours: Colours): (text: string) => string {
  return { safe: colours.green, caution: colours.yellow, dangerous: colours.red }[verdict];
}

export function severityPaint(severity: FindingSeverity, colours: Colours): (text: string) => string {
  return { info: colours.cyan, warn: colours.yellow, critical: colours.red }[severity];
}
