import { type Skill, type Snapshot, tokenCost } from "@skillet/core";
import type { ShownVerdict } from "../scan/known-verdicts.ts";
import { skillWarnings } from "../skill-warnings.ts";
import { firstErrors } from "./failure-list.ts";
import { wrap } from "./fit-text.ts";
import { formatTokens } from "./format-quantity.ts";
import type { Layout } from "./layout.ts";
import { count, type ShownState, shownState } from "./skill-state.ts";

const STATES: readonly ShownState[] = [
  "enabled",
  "withheld",
  "disabled",
  "unavailable",
  "untrusted",
  "shadowed",
];

/** What to sum up in, and what is known of scans. */
export interface SkillSummaryOptions extends Layout {
  readonly verdicts?: Verdicts;
}

type Verdicts = ReadonlyMap<Skill, ShownVerdict>;

/** The last lines of a list: how many skills in which state, how many failed or have warnings, and what the catalogue costs. */
export function skillSummary(
  shown: readonly Skill[],
  snapshot: Snapshot,
  { verdicts = new Map(), ...layout }: SkillSummaryOptions,
): string[] {
  const total = snapshot.skills.length;
  const states = countStates(shown, verdicts);
  if (shown.length < total) {
    const headline = `${shown.length} of ${count(total, "skill")}`;
    return wrap(states === "" ? `No skill matches (${headline}).` : `${headline}: ${states}`, layout);
  }
  const failed = firstErrors(snapshot).length;
  const warned = shown.filter((skill) => skillWarnings(skill).length > 0).length;
  const parts = [
    states === "" ? count(total, "skill") : `${count(total, "skill")}: ${states}`,
    ...(failed > 0 ? [`${failed} failed to load`] : []),
    ...(warned > 0 ? [`${warned} with warnings (skillet explain NAME shows them)`] : []),
  ];
  return [...wrap(parts.join("; "), layout), ...catalogueCost(snapshot, verdicts, layout)];
}

function countStates(skills: readonly Skill[], verdicts: Verdicts): string {
  const states = skills.map((skill) => shownState(skill, verdicts.get(skill)));
  return STATES.map((state) => ({ state, number: states.filter((other) => other === state).length }))
    .filter(({ number }) => number > 0)
    .map(({ state, number }) => `${number} ${state}`)
    .join(", ");
}

function catalogueCost({ skills }: Snapshot, verdicts: Verdicts, layout: Layout): string[] {
  const offered = skills.filter(
    (skill) => shownState(skill, verdicts.get(skill)) === "enabled" && skill.manifest.invocation.model,
  );
  if (offered.length === 0) return [];
  const tokens = offered.reduce((sum, skill) => sum + tokenCost(skill).catalog, 0);
  const text = `The catalogue costs ${formatTokens(tokens)} tokens; each skill shows its share / once loaded.`;
  return wrap(text, layout).map((line) => layout.colours.dim(line));
}
