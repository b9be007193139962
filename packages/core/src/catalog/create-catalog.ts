import { SkilletError } from "@skillet/kit/errors";
import type { Skill } from "../registry/skill.ts";
import {
  type CatalogBudget,
  type CountTokens,
  checkedCount,
  countTokens,
  resolveBudget,
} from "./catalog-budget.ts";
import {
  type CatalogForm,
  type CatalogSearch,
  COMPACT_XML_FORM,
  JSON_FORM,
  MARKDOWN_FORM,
  TOOL_FORM,
  XML_FORM,
} from "./catalog-forms.ts";
import type { CatalogGuidance } from "./catalog-guidance.ts";
import { type CatalogDraft, draftCatalog, fitCatalog } from "./fit-catalog.ts";
import { type CatalogPlan, NAME_ONLY, OMITTED } from "./plan-catalog.ts";
import { type RankInputs, rankSkills } from "./rank-skills.ts";

/** The formats of a catalogue. */
export type CatalogFormat = "xml" | "xml-compact" | "markdown" | "tool" | "json";

/** The format of a catalogue and its budget. */
export interface CatalogOptions {
  readonly format?: CatalogFormat | undefined;
  /**
   * What the list tells the model to do, counted in the budget; default: load skills with `load_skill`. When
   * room is short, locations go first, because that tool takes names; with `read` and `none` they go last.
   */
  readonly guidance?: CatalogGuidance | undefined;
  /** Default: 8,000 characters. */
  readonly budget?: CatalogBudget | undefined;
  /** The host's tokenizer; default: UTF-8 bytes over four. A budget in tokens calls it a few dozen times. */
  readonly countTokens?: CountTokens | undefined;
  /** Which skills matter most when not all of them fit. */
  readonly rank?: RankInputs | undefined;
  /** How a model finds skills that do not fit; without it, the note tells the model to ask the user. */
  readonly search?: CatalogSearch | undefined;
  /** How many skills exist besides the given ones; the note counts them. */
  readonly unlisted?: number | undefined;
}

/** The text that tells a model about its skills, and a report on what it leaves out. */
export interface Catalog {
  /** Empty if there are no skills, so that a prompt gets no empty section. */
  readonly text: string;
  readonly tokens: number;
  /** UTF-16 units, as in `text.length`. */
  readonly characters: number;
  readonly report: CatalogReport;
}

const FORMS: Readonly<Record<CatalogFormat, CatalogForm>> = {
  xml: XML_FORM,
  "xml-compact": COMPACT_XML_FORM,
  markdown: MARKDOWN_FORM,
  tool: TOOL_FORM,
  json: JSON_FORM,
};

export const CATALOG_FORMATS = Object.keys(FORMS) as readonly CatalogFormat[];

/** Writes the list of skills for a model, within a budget; which of them it may use is already decided. */
export function createCatalog(skills: readonly Skill[], options: CatalogOptions = {}): Catalog {
  const count = options.countTokens === undefined ? undefined : checkedCount(options.countTokens);
  const budget = resolveBudget(options.budget, count);
  const form = formOf(options.format ?? "xml");
  const draft = draftCatalog(skills, {
    form,
    guidance: options.guidance ?? "load",
    weigh: budget.weigh,
    rank: () => rankSkills(skills, options.rank),
    search: options.search,
    unlisted: options.unlisted ?? 0,
  });
  const { plan, text } = fitCatalog(draft, budget);
  return {
    text,
    tokens: text === "" ? 0 : (count ?? countTokens)(text),
    characters: text.length,
    report: reportPlan(plan, draft, skills),
  };
}

export function formOf(format: CatalogFormat): CatalogForm {
  if (Object.hasOwn(FORMS, format)) return FORMS[format];
  const message = `There is no format ${JSON.stringify(format)}; pass one of ${CATALOG_FORMATS.join(", ")}.`;
  throw new SkilletError("invalid-format", message, { data: { format } });
}

/** How one skill appears in a catalogue. */
export interface ReportedSkill {
  readonly name: string;
  readonly outcome: "shown" | "shortened" | "name-only" | "omitted";
  /** Code points of the description that are in the text, in the form's own notation. */
  readonly kept: number;
  readonly cut: number;
}

/** The outcome for every skill: the outcomes add up to `total`, `kept` and `cut` to all descriptions. */
export interface CatalogReport {
  readonly total: number;
  readonly shown: number;
  readonly shortened: number;
  readonly nameOnly: number;
  readonly omitted: number;
  readonly kept: number;
  readonly cut: number;
  /** The parts left out to make room, in this order: locations, then guidance. */
  readonly leftOut: readonly ("locations" | "guidance")[];
  /** In catalogue order; skills that only the note counts have no row and no share of `kept` or `cut`. */
  readonly skills: readonly ReportedSkill[];
  /** Skills not counted here because the model may not use them; filled in by a session. */
  readonly hidden: readonly HiddenSkill[];
}

/** A skill that is hidden from a model or a user, and the reason. */
export interface HiddenSkill {
  readonly skill: Skill;
  readonly cause:
    | ("state" | "verdict" | "policy" | "invocation")
    | ("product" | "paths" | "plan-mode" | "locked-mode");
  /** For display, such as `only the user can invoke it`. */
  readonly reason: string;
}

function reportPlan(
  { kept, style }: CatalogPlan,
  draft: CatalogDraft,
  listed: readonly Skill[],
): CatalogReport {
  const counts = { shown: 0, shortened: 0, nameOnly: 0, omitted: 0, kept: 0, cut: 0 };
  const skills = listed.map(({ qualifiedName }, index): ReportedSkill => {
    const { codePoints } = draft.description(index);
    const state = kept[index] ?? OMITTED;
    const visible = Math.max(state, 0);
    counts.kept += visible;
    counts.cut += codePoints - visible;
    const outcome = outcomeOf(state, codePoints);
    counts[outcome === "name-only" ? "nameOnly" : outcome] += 1;
    return { name: qualifiedName, outcome, kept: visible, cut: codePoints - visible };
  });
  const { unlisted } = draft;
  counts.omitted += unlisted;
  return {
    total: skills.length + unlisted,
    ...counts,
    leftOut: [
      ...(draft.form.hasLocations && style.maxLocation === 0 ? ["locations" as const] : []),
      ...(draft.guidance !== "none" && !style.guided ? ["guidance" as const] : []),
    ],
    skills,
    hidden: [],
  };
}

function outcomeOf(state: number, codePoints: number): ReportedSkill["outcome"] {
  if (state === OMITTED) return "omitted";
  if (state === NAME_ONLY) return "name-only";
  return state === codePoints ? "shown" : "shortened";
}

/** The one message to send to a model when its skills have changed, with the names added and removed. */
export interface CatalogChange {
  readonly text: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What to tell a model that already has the catalogue `before`; undefined if nothing changed. */
export function catalogDiff(
  before: Pick<Catalog, "text" | "report">,
  after: Pick<Catalog, "text" | "report">,
): CatalogChange | undefined {
  if (before.text === after.text) return undefined;
  const old = listedNames(before);
  const now = listedNames(after);
  return {
    text: announce(before.text, after.text),
    added: [...now].filter((name) => !old.has(name)),
    removed: [...old].filter((name) => !now.has(name)),
  };
}

function announce(before: string, after: string): string {
  if (after === "")
    return "No skills are available any more. The list of skills given before no longer holds.";
  if (before === "") return `Skills are available now.\n\n${after}`;
  return `The available skills have changed. This list takes the place of the one given before.\n\n${after}`;
}

function listedNames({ report }: Pick<Catalog, "report">): ReadonlySet<string> {
  return new Set(report.skills.filter(({ outcome }) => outcome !== "omitted").map(({ name }) => name));
}
