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

/** The ways to write a catalogue down. */
export type CatalogFormat = "xml" | "xml-compact" | "markdown" | "tool" | "json";

/** The form of a catalogue and its budget. */
export interface CatalogOptions {
  /** Default: the reference form, XML. */
  readonly format?: CatalogFormat | undefined;
  /**
   * What the model is told to do with the list, within the budget; default: to load skills with `load_skill`. When room is
   * short, locations go first, because that tool takes names; with `read` and `none` they are the last to go.
   */
  readonly guidance?: CatalogGuidance | undefined;
  /** Default: 8,000 characters. */
  readonly budget?: CatalogBudget | undefined;
  /** The host's tokenizer; default: UTF-8 bytes over four. It is called some dozen times where the budget is in tokens. */
  readonly countTokens?: CountTokens | undefined;
  /** Which skills matter most when not all of them fit. */
  readonly rank?: RankInputs | undefined;
  /** How skills are found that do not fit; without it the note sends the model to the user. */
  readonly search?: CatalogSearch | undefined;
  /** How many more skills there are than those given; the note counts them. */
  readonly unlisted?: number | undefined;
}

/** The text that tells a model about its skills, and what it leaves out. */
export interface Catalog {
  /** Empty when there are no skills, so that a prompt has no section about nothing. */
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

/** Writes what a model is told about skills, within a budget; which of them it may use was decided before. */
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

/** The part of one skill that a catalogue shows. */
export interface ReportedSkill {
  readonly name: string;
  readonly outcome: "shown" | "shortened" | "name-only" | "omitted";
  /** Code points of its description, as the form writes it, that are in the text. */
  readonly kept: number;
  readonly cut: number;
}

/** The outcome for every skill: the four outcomes add up to `total`, kept and cut to all that descriptions say. */
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
  /** In the order of the catalogue; of skills that only the note counts there are no rows, kept or cut. */
  readonly skills: readonly ReportedSkill[];
  /** Skills that do not count here, because the model may not use them; a session fills it in. */
  readonly hidden: readonly HiddenSkill[];
}

/** A skill that is kept from a model or a user, and why. */
export interface HiddenSkill {
  readonly skill: Skill;
  readonly cause:
    | ("state" | "verdict" | "policy" | "invocation")
    | ("product" | "paths" | "plan-mode" | "locked-mode");
  /** For people, such as `only the user can invoke it`. */
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

/** The one message to send to a model when the skills have changed, and which names it hears of or no longer hears of. */
export interface CatalogChange {
  readonly text: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Says what to tell a model that has been told `before`; undefined when there is nothing new to tell. */
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
