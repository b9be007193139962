import type { Skill, Skills } from "@skillet/core";
import {
  readBy,
  rulesOf,
  type ShownState,
  STATE_WORDS,
  shownState,
  verdictWords,
} from "../ui/skill-state.ts";
import { count } from "../ui/text.ts";
import { openAgentsOf } from "./agents-of.ts";
import type { CommandContext } from "./command-context.ts";
import { readInstalled } from "./open-registry.ts";
import { vetShown } from "./vet-shown.ts";

/** What lists of skills to get say of one that is here already. */
interface Here {
  readonly skill: Skill;
  readonly state: ShownState;
  /** How it came, and whether it may be used: `installed, disabled`. */
  readonly status: string;
  /** `read by Claude Code`; empty where no agent does. */
  readonly readBy: string;
  /** Where it was installed from. */
  readonly source?: string | undefined;
}

export async function describeHere(
  context: CommandContext,
  registry: Skills,
  skills: readonly Skill[],
): Promise<readonly Here[]> {
  const installed = await readInstalled(context, registry);
  const facts = await vetShown(context, registry, skills);
  const { readersOf } = openAgentsOf(context, registry);
  const rules = rulesOf(registry);
  return skills.map((skill) => {
    const fact = facts.get(skill);
    const state = shownState(skill, fact, rules);
    const source = installed(skill.path)?.source;
    const came =
      skill.scope === "bundled" ? "bundled" : source === undefined ? "on this machine" : "installed";
    const verdict = fact === undefined || fact.verdict === "safe" ? "" : `, ${verdictWords(fact)}`;
    const status = `${came}${verdict}${state === "enabled" ? "" : `, ${STATE_WORDS[state]}`}`;
    return { skill, state, status, readBy: readBy(readersOf(skill)), source };
  });
}

/** By name, in one line each; of several that have one, the skill that the bare name means. */
export async function wordsByName(
  context: CommandContext,
  registry: Skills,
  offers: readonly { readonly name: string }[],
): Promise<ReadonlyMap<string, string>> {
  const names = offers.map(({ name }) => name);
  const meant = registry.snapshot.skills.filter(({ name }) => names.includes(name)).toReversed();
  const here = await describeHere(context, registry, meant);
  return new Map(
    here.map(({ skill, status, readBy: readers }) => {
      const words = status.replace("on this machine", "you have one of this name");
      return [skill.name, [words, readers].filter(Boolean).join("; ")];
    }),
  );
}

/** `2 skills and 1 plugin`. */
export function heldWords(offers: readonly { readonly kind: "skill" | "plugin" }[]): string {
  const plugins = offers.filter(({ kind }) => kind === "plugin").length;
  const skills = plugins === offers.length ? [] : [count(offers.length - plugins, "skill")];
  return [...skills, ...(plugins > 0 ? [count(plugins, "plugin")] : [])].join(" and ");
}

/** So many of those that a source holds are scanned before they are listed, to keep it quick. */
export const MAX_SCANNED = 50;

/** `dangerous`, `plugin, installed`; a safe one that is new needs no words. */
export function listingWords(
  kind: "skill" | "plugin",
  verdict: string | undefined,
  here: string | undefined,
): string {
  const said = verdict === undefined ? "not scanned yet" : verdict === "safe" ? "" : verdict;
  return [said, kind === "plugin" ? "plugin" : "", here ?? ""].filter(Boolean).join(", ");
}
