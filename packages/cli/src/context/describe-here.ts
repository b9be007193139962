import type { Skill, Skills } from "@skillet/core";
import type { Offer, PlannedItem, RefusedItem } from "@skillet/hub";
import type { Digest } from "@skillet/kit/digest";
import type { Verdict } from "@skillet/scan";
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

/** A skill that is already here, as lists of available skills describe it. */
interface Here {
  readonly skill: Skill;
  readonly state: ShownState;
  /** How it was added, and whether it may be used: `installed, disabled`. */
  readonly status: string;
  readonly readBy: string;
  readonly source: string | undefined;
  /** The digest of its files, if a scan read them. */
  readonly digest: Digest | undefined;
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
    return { skill, state, status, readBy: readBy(readersOf(skill)), source, digest: fact?.digest };
  });
}

type Planned = PlannedItem | RefusedItem;

/**
 * Says in one line per offer what is already here under its name. Facts about the installed skill apply to
 * the offer only if both have exactly the same bytes.
 */
export async function wordsHere<T extends Pick<Offer, "name" | "kind">>(
  context: CommandContext,
  registry: Skills,
  offers: readonly T[],
  planned: ReadonlyMap<T, Planned>,
): Promise<ReadonlyMap<T, string>> {
  const names = new Set(offers.map(({ name }) => name));
  const meant = registry.snapshot.skills.filter(({ name }) => names.has(name)).toReversed();
  const all = await describeHere(context, registry, meant);
  const byName = new Map(all.map((here) => [here.skill.name, here]));
  const installed = await readInstalled(context, registry);
  const plugins = new Map(
    registry.snapshot.skills.flatMap(({ path }) => {
      const one = installed(path);
      return one?.kind === "plugin" ? [[one.name, { ...one, status: "installed", readBy: "" }] as const] : [];
    }),
  );
  return new Map(
    offers.flatMap((offer) => {
      const here = (offer.kind === "plugin" && plugins.get(offer.name)) || byName.get(offer.name);
      return here === undefined ? [] : [[offer, hereWords(here, planned.get(offer))]];
    }),
  );
}

function hereWords(
  { digest, source, status, readBy: readers }: Omit<Here, "skill" | "state">,
  planned: Planned | undefined,
): string {
  if (digest === undefined || planned?.digest === undefined) return "you have one of this name";
  if (digest === planned.digest)
    return [status.replace("on this machine", "you have it"), readers].filter(Boolean).join("; ");
  const from = planned.state === "refused" ? planned.source : planned.entry.source;
  const isSameSource = source !== undefined && source.split("#")[0] === from.split("#")[0];
  return isSameSource ? "another version is installed" : "you have another of this name";
}

/** For example `2 skills and 1 plugin`. */
export function heldWords(offers: readonly { readonly kind: "skill" | "plugin" }[]): string {
  const plugins = offers.filter(({ kind }) => kind === "plugin").length;
  const skills = plugins === offers.length ? [] : [count(offers.length - plugins, "skill")];
  return [...skills, ...(plugins > 0 ? [count(plugins, "plugin")] : [])].join(" and ");
}

/** How many skills of a source are scanned before they are listed, to keep it quick. */
export const MAX_SCANNED = 50;

/** For example `dangerous`, `plugin of 3 skills, installed`; empty for a safe new skill. */
export function listingWords(
  { kind, plugin }: Pick<Offer, "kind" | "plugin">,
  planned: Planned | undefined,
  here: string | undefined,
): string {
  const judged = planned?.state === "refused" ? planned.judged : planned;
  const verdict = judged?.report.verdict;
  const unread = planned?.state === "refused" ? planned.code.replaceAll("-", " ") : "not scanned yet";
  const parts = judged?.parts;
  const [worst] = judged?.report.findings ?? [];
  const where = parts && worst ? ` in ${worst.file}` : "";
  const said = verdict === "safe" ? "" : verdict ? `${verdict}${where}` : unread;
  const held = parts === undefined ? kind : `${kind} of ${count(parts.skills.length, "skill")}`;
  return [said, kind === "plugin" && held, here ?? (plugin && `of ${plugin}`)].filter(Boolean).join(", ");
}

export function verdictOf(planned: Planned | undefined): Verdict | undefined {
  const judged = planned?.state === "refused" ? planned.judged : planned;
  return judged?.report.verdict;
}
