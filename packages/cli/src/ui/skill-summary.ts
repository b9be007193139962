import { type Skill, type SkillState, type Snapshot, tokenCost } from "@skillet/core";
import { skillWarnings } from "../skill-warnings.ts";
import { firstErrors } from "./failure-list.ts";
import { wrap } from "./fit-text.ts";
import { formatTokens } from "./format-quantity.ts";
import type { Layout } from "./layout.ts";
import { count } from "./skill-state.ts";

const STATES: readonly SkillState[] = ["enabled", "disabled", "unavailable", "untrusted", "shadowed"];

/** The last lines of a list: how many skills in which state, how many failed or have warnings, and what the catalogue costs. */
export function skillSummary(shown: readonly Skill[], snapshot: Snapshot, layout: Layout): string[] {
  const total = snapshot.skills.length;
  const states = countStates(shown);
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
  return [...wrap(parts.join("; "), layout), ...catalogueCost(snapshot, layout)];
}

function countStates(skills: readonly Skill[]): string {
  return STATES.map((state) => ({ state, number: skills.filter((skill) => skill.state === state).length }))
    .filter(({ number }) => number > 0)
    .map(({ state, number }) => `${number} ${state}`)
    .join(", ");
}

function catalogueCost({ skills }: Snapshot, layout: Layout): string[] {
  const offered = skills.filter((skill) => skill.state === "enabled" && skill.manifest.invocation.model);
  if (offered.length === 0) return [];
  const tokens = offered.reduce((sum, skill) => sum + tokenCost(skill).catalog, 0);
  const text = `The catalogue costs ${formatTokens(tokens)} tokens; each skill shows its share / once loaded.`;
  return wrap(text, layout).map((line) => layout.colours.dim(line));
}
