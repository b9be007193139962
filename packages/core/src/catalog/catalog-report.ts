import type { Skill } from "../registry/skill.ts";
import type { CatalogDraft } from "./catalog-draft.ts";
import { type CatalogPlan, NAME_ONLY, OMITTED } from "./plan-catalog.ts";
import type { HiddenSkill } from "./visibility/visible-skills.ts";

/** What a catalogue shows of one skill. */
export interface ReportedSkill {
  /** Its qualified name. */
  readonly name: string;
  readonly outcome: "shown" | "shortened" | "name-only" | "omitted";
  /** Code points of its description, as the form writes it, that are in the text. */
  readonly kept: number;
  /** Those that are not. */
  readonly cut: number;
}

/** What became of every skill: the four outcomes add up to `total`, kept and cut to all that descriptions say. */
export interface CatalogReport {
  readonly total: number;
  readonly shown: number;
  readonly shortened: number;
  readonly nameOnly: number;
  readonly omitted: number;
  readonly kept: number;
  readonly cut: number;
  /** In the order of the catalogue; of skills that only the note counts there are no rows, kept or cut. */
  readonly skills: readonly ReportedSkill[];
  /** Skills that do not count here, because whoever reads the catalogue may not see them. */
  readonly hidden: readonly HiddenSkill[];
}

/** Says what a plan does to each skill. */
export function reportPlan(
  { kept }: CatalogPlan,
  catalog: {
    readonly draft: CatalogDraft;
    readonly skills: readonly Skill[];
    readonly hidden: readonly HiddenSkill[];
  },
): CatalogReport {
  const counts = { shown: 0, shortened: 0, nameOnly: 0, omitted: 0, kept: 0, cut: 0 };
  const skills = catalog.skills.map(({ qualifiedName }, index): ReportedSkill => {
    const { codePoints } = catalog.draft.description(index);
    const state = kept[index] ?? OMITTED;
    const visible = Math.max(state, 0);
    counts.kept += visible;
    counts.cut += codePoints - visible;
    const outcome = outcomeOf(state, codePoints);
    counts[outcome === "name-only" ? "nameOnly" : outcome] += 1;
    return { name: qualifiedName, outcome, kept: visible, cut: codePoints - visible };
  });
  const { unlisted } = catalog.draft;
  counts.omitted += unlisted;
  return { total: skills.length + unlisted, ...counts, skills, hidden: catalog.hidden };
}

function outcomeOf(state: number, codePoints: number): ReportedSkill["outcome"] {
  if (state === OMITTED) return "omitted";
  if (state === NAME_ONLY) return "name-only";
  return state === codePoints ? "shown" : "shortened";
}
