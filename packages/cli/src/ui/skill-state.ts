import type { KnownScan, Scope, Skill, Skills, SkillUse } from "@skillet/core";
import {
  type Agent,
  type AgentsLoading,
  createEnablement,
  findObstacle,
  needsTrust,
  stateOf,
  type UseRules,
} from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { shellArgument } from "@skillet/kit/text";
import type { FindingSeverity, Verdict } from "@skillet/scan";
import type { Colours } from "./terminal.ts";
import { listAll, stripControl } from "./text.ts";

/** What is known about a skill in its current state: see `vetShown`. */
export interface SkillFacts extends KnownScan {
  /** The digest of the scanned files. */
  readonly digest?: Digest;
  /** The user approved these exact bytes, whatever the scan says. */
  readonly approved?: boolean;
  /** Why its files differ from the trusted ones. */
  readonly changed?: string;
  /** Why changes to it need no new trust: the user created it in this project. */
  readonly trusted?: string;
}

/** Includes the states that depend on the files or the rules. */
export type ShownState = SkillUse["state"] | "changed" | "unscanned" | "denied" | "unwritten" | "off";

/**
 * The state that every screen shows: `show`, `explain`, `doctor` and lists. Only `enabled` is fine: the bytes
 * were scanned, and nothing keeps a session from offering them.
 */
export function shownState(
  skill: Skill,
  facts: SkillFacts | undefined,
  rules?: UseRules,
  readers?: Pick<Readers, "loading" | "switchedOff">,
): ShownState {
  const state = stateOf(skill, facts);
  // Trusting its folder would not be enough, and agents may already load it.
  if (state === "untrusted" && facts?.withheld !== undefined) return "withheld";
  if (state !== "enabled") return state;
  if (findObstacle(skill, { scan: facts, rules })?.step === "policy") return "denied";
  if (facts === undefined) return skill.scope === "bundled" ? "enabled" : "unscanned";
  if (facts.changed !== undefined) return "changed";
  if (TEMPLATE.test(skill.manifest.description)) return "unwritten";
  return readers?.loading.length === 0 && readers.switchedOff.length > 0 ? "off" : "enabled";
}

/** Words from the template of `skillet new` that no author would write. */
export const TEMPLATE: RegExp =
  /TODO: say (?:how, in words people type|in one sentence what these steps are for)/;

/** In the order in which a summary counts them. */
export const STATE_WORDS: Readonly<Record<ShownState, string>> = {
  enabled: "enabled",
  changed: "changed since you trusted it",
  unwritten: "still a template, with TODO in its description",
  unscanned: "not scanned yet",
  withheld: "withheld",
  denied: "not offered",
  disabled: "disabled",
  off: "switched off in every agent that could load it",
  unavailable: "unavailable",
  untrusted: "untrusted",
  shadowed: "shadowed",
};

/** The rules of a session that the command could open; for lists, so no folder is searched for scripts. */
export function rulesOf({ config: { config, layers } }: Pick<Skills, "config">): UseRules {
  return {
    mode: config.policy.mode,
    interactive: true,
    layers,
    product: undefined,
    isAllowed: () => false,
    hasScripts: () => false,
  };
}

/** For example `dangerous, approved`. */
export function verdictWords({ verdict, approved }: SkillFacts): string {
  return approved === true ? `${verdict}, approved` : verdict;
}

export const isDangerous = (facts: SkillFacts | undefined): boolean =>
  facts?.verdict === "dangerous" && facts.approved !== true;

export interface Readers extends AgentsLoading {
  /** Agents that also load another skill of this name; which one they use is up to them. */
  readonly sharing: readonly Agent[];
}

/** Says which agents read a skill, including those in which it is switched off or that cannot load it. */
export function readBy({ loading, unsure, switchedOff, refusedBy, sharing }: Readers): string {
  const words = (what: string, some: readonly Agent[]): string[] =>
    some.length === 0 ? [] : [`${what} ${some.map(({ title }) => title).join(", ")}`];
  const sure = loading.filter((agent) => !unsure.includes(agent));
  return [
    ...words("read by", sure),
    ...words("linked for", unsure).map((text) => `${text} (not known to follow links)`),
    ...words("switched off in", switchedOff),
    ...[...new Set(refusedBy.map(({ why }) => why))].flatMap((why) => {
      const agents = refusedBy.filter((one) => one.why === why).map(({ agent }) => agent);
      return words("not read by", agents).map((text) => `${text} (${why})`);
    }),
    ...words("another of this name is read by", sharing),
  ].join("; ");
}

/**
 * For a withheld or disabled skill: says which agents load it anyway, and how to stop that, in the same words
 * on every screen.
 */
export function stillLoaded(
  skill: Skill,
  facts: SkillFacts | undefined,
  readers: Pick<Readers, "loading" | "sharing">,
): ReturnType<typeof loadedBy> {
  const isKeptBack = isDangerous(facts) || facts?.withheld !== undefined || skill.state === "disabled";
  return isKeptBack ? loadedBy(skill, readers) : undefined;
}

export function loadedBy(
  { name, qualifiedName, scope, state, plugin, kind, path }: Skill,
  { loading, sharing }: Pick<Readers, "loading" | "sharing">,
): { readonly who: string; readonly stop: string } | undefined {
  if (loading.length === 0) return undefined;
  const who = `${listAll(loading.map(({ title }) => title))} still ${loading.length === 1 ? "loads" : "load"} it`;
  if (kind === "command") return { who, stop: `move ${path} away` };
  const disable = `skillet disable ${shellArgument(qualifiedName)}`;
  // Settings by name cannot tell it from another skill of that name.
  const isMixedUp = sharing.length > 0 && (needsTrust(scope) || qualifiedName !== name);
  // `disable` may have left it to them, or a plugin may own it: only a plan or the user can say what helps.
  const isOpen = state === "disabled" || plugin !== undefined || isMixedUp;
  return { who, stop: isOpen ? `see \`${disable} --dry-run\`` : disable };
}

/** Says how to enable a disabled skill: a command, or what the user does if Skillet does not decide. */
export function howToEnable(
  skill: Pick<Skill, "name" | "qualifiedName" | "scope" | "directory" | "plugin">,
  layers: UseRules["layers"],
): string {
  const { by } = createEnablement(layers)(skill);
  if (by === undefined && skill.plugin !== undefined)
    return `in Claude Code, turn the plugin ${skill.plugin} on with /plugin`;
  if (by?.layer === "environment") return "unset SKILLET_DISABLED";
  return `skillet enable ${shellArgument(skill.qualifiedName)}${by?.layer === "project" ? " --project" : ""}`;
}

export function stateMark(state: ShownState, colours: Colours): string {
  if (state === "enabled") return colours.green("✓");
  if (["disabled", "off", "denied"].includes(state)) return colours.dim("○");
  if (["unavailable", "withheld"].includes(state)) return colours.red("✗");
  return colours.yellow(state === "unscanned" ? "?" : "!");
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

/** Names the skills that would be offered if their project were trusted; not those the scan withholds. */
export function waitingForTrust(skills: readonly Skill[], facts: ReadonlyMap<Skill, SkillFacts>): string[] {
  const waiting = skills.filter((skill) => shownState(skill, facts.get(skill)) === "untrusted");
  return waiting.map(({ qualifiedName }) => stripControl(qualifiedName));
}

/** Problems that did not keep a skill from loading; a name conflict is part of its state instead. */
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
