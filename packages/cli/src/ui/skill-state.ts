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

/** What is known of a skill as it is now: see `vetShown`. */
export interface SkillFacts extends KnownScan {
  /** Of what was scanned. */
  readonly digest?: Digest;
  /** A person approved these exact bytes, whatever the scan says. */
  readonly approved?: boolean;
  /** Why its files are not those that were trusted. */
  readonly changed?: string;
  /** Why changes to it need no new trust: a person made it in this project. */
  readonly trusted?: string;
}

/** The states that only a look at the files, or the rules, can tell. */
export type ShownState = SkillUse["state"] | "changed" | "unscanned" | "denied" | "unwritten" | "off";

/**
 * The one state that every screen shows: `show`, `explain`, `doctor` and lists. Only `enabled` is fine: the bytes were
 * scanned, and nothing keeps a session from offering them.
 */
export function shownState(
  skill: Skill,
  facts: SkillFacts | undefined,
  rules?: UseRules,
  readers?: Pick<Readers, "loading" | "switchedOff">,
): ShownState {
  const state = stateOf(skill, facts);
  // To trust its folder would not be enough, and agents may load it already.
  if (state === "untrusted" && facts?.withheld !== undefined) return "withheld";
  if (state !== "enabled") return state;
  if (findObstacle(skill, { scan: facts, rules })?.step === "policy") return "denied";
  if (facts === undefined) return skill.scope === "bundled" ? "enabled" : "unscanned";
  if (facts.changed !== undefined) return "changed";
  if (TEMPLATE.test(skill.manifest.description)) return "unwritten";
  return readers?.loading.length === 0 && readers.switchedOff.length > 0 ? "off" : "enabled";
}

/** Words of `skillet new` that no author would write. */
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

/** The rules of a session that the command could open, for lists: they read no folder to look for scripts. */
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

/** A verdict in words: `dangerous, approved`. */
export function verdictWords({ verdict, approved }: SkillFacts): string {
  return approved === true ? `${verdict}, approved` : verdict;
}

export const isDangerous = (facts: SkillFacts | undefined): boolean =>
  facts?.verdict === "dangerous" && facts.approved !== true;

export interface Readers extends AgentsLoading {
  /** Those that load another skill of this name as well; which of them they use is theirs to decide. */
  readonly sharing: readonly Agent[];
}

/** Which agents read a skill, as every screen says it: also where one is switched off, or may not see it. */
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
 * Of a skill that Skillet keeps back, or that is disabled: which agents load it all the same, as every screen says it,
 * and what stops them.
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
  // Settings that go by names cannot tell it from another skill.
  const isMixedUp = sharing.length > 0 && (needsTrust(scope) || qualifiedName !== name);
  // Disabling may have left it to these agents, and plugins may be theirs: only a plan says what it can do, or a person.
  const isOpen = state === "disabled" || plugin !== undefined || isMixedUp;
  return { who, stop: isOpen ? `see \`${disable} --dry-run\`` : disable };
}

/** What enables a disabled skill: a command, or what a person does where Skillet does not decide. */
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

/** The names of those that would be offered if their project were trusted: one that the scan withholds would not. */
export function waitingForTrust(skills: readonly Skill[], facts: ReadonlyMap<Skill, SkillFacts>): string[] {
  const waiting = skills.filter((skill) => shownState(skill, facts.get(skill)) === "untrusted");
  return waiting.map(({ qualifiedName }) => stripControl(qualifiedName));
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
