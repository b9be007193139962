import type { Scope, Skill, SkillState } from "@skillet/core";
import type { ShownVerdict } from "../scan/known-verdicts.ts";
import type { Colours } from "./terminal.ts";

/** The state of a skill for people: what its scan keeps back is not enabled to them, whatever the config says. */
export type ShownState = SkillState | "withheld";

/** The state to show for a skill, given what is known of its scan. */
export function shownState({ state }: Pick<Skill, "state">, known: ShownVerdict | undefined): ShownState {
  return state === "enabled" && known?.withheld !== undefined ? "withheld" : state;
}

/** A verdict in words: `dangerous, approved` where only somebody's yes lets the skill be offered. */
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

/** The heading of a group of skills. */
export function scopeTitle(scope: Scope): string {
  return `[${TITLES[scope]} Skills]`;
}

/** `1 skill`, `2 skills`. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
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
