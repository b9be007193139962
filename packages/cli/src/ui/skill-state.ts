import type { Scope, SkillState } from "@skillet/core";
import type { Colours } from "./terminal.ts";

/** The one-column mark of a state, in its colour. */
export function stateMark(state: SkillState, colours: Colours): string {
  switch (state) {
    case "enabled":
      return colours.green("✓");
    case "disabled":
      return colours.dim("○");
    case "unavailable":
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
