import type { Scope, Skill, SkillState } from "@skillet/core";
import type { KnownPlace } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { FindingSeverity, Verdict } from "@skillet/scan";
import type { Colours } from "./terminal.ts";

/** The verdict of an earlier scan of a skill that has not changed since. */
export interface ShownVerdict extends Pick<KnownPlace, "verdict" | "withheld"> {
  /** These exact bytes were approved, and nothing else lets them be offered. */
  readonly approved?: boolean;
}

/** A skill that its scan holds back is not shown as enabled, whatever the config says. */
export type ShownState = SkillState | "withheld";

/** The state to show for a skill, given what is known of its scan. */
export function shownState({ state }: Pick<Skill, "state">, known: ShownVerdict | undefined): ShownState {
  return state === "enabled" && known?.withheld !== undefined ? "withheld" : state;
}

/** A verdict in words: `dangerous, approved` where only an approval lets the skill be offered. */
export function verdictWords({ verdict, approved }: ShownVerdict): string {
  return approved === true ? `${verdict}, approved` : verdict;
}

/** The one-column mark of a state, in its colour. */
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

/** What was read past when a skill was loaded; that another one has its name is a matter of its state. */
export function skillWarnings(skill: Skill): readonly Diagnostic[] {
  return skill.diagnostics.filter(({ severity, code }) => severity === "warning" && code !== "name-conflict");
}

/** The one-column mark of a verdict, in its colour. */
export function verdictMark(verdict: Verdict, colours: Colours): string {
  return verdictPaint(verdict, colours)({ safe: "✓", caution: "!", dangerous: "✗" }[verdict]);
}

export function verdictPaint(verdict: Verdict, colours: Colours): (text: string) => string {
  return { safe: colours.green, caution: colours.yellow, dangerous: colours.red }[verdict];
}

export function severityPaint(severity: FindingSeverity, colours: Colours): (text: string) => string {
  return { info: colours.cyan, warn: colours.yellow, critical: colours.red }[severity];
}
