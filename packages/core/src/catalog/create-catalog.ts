import { SkilletError } from "@skillet/kit/errors";
import type { Skill } from "../registry/skill.ts";
import { type CatalogBudget, resolveBudget } from "./catalog-budget.ts";
import { draftCatalog } from "./catalog-draft.ts";
import type { CatalogForm } from "./catalog-form.ts";
import { type CatalogReport, reportPlan } from "./catalog-report.ts";
import { type CountTokens, checkedCount, countTokens } from "./count-tokens.ts";
import { fitCatalog } from "./fit-catalog.ts";
import { JSON_FORM } from "./json-form.ts";
import { MARKDOWN_FORM } from "./markdown-form.ts";
import type { CatalogSearch } from "./omission.ts";
import { type RankInputs, rankSkills } from "./rank-skills.ts";
import { TOOL_FORM } from "./tool-form.ts";
import { type VisibilityFilter, visibleSkills } from "./visibility/visible-skills.ts";
import { XML_FORM } from "./xml-form.ts";

/** The ways to write a catalogue down. */
export type CatalogFormat = "xml" | "markdown" | "tool" | "json";

/** What the catalogue is for and how much room it has. */
export interface CatalogOptions {
  /** Default: the reference form, XML. */
  readonly format?: CatalogFormat;
  /** Default: 8,000 characters. */
  readonly budget?: CatalogBudget;
  /** The host's tokenizer; default: UTF-8 bytes over four. It is called some dozen times where the budget is in tokens. */
  readonly countTokens?: CountTokens;
  /** Who reads the catalogue, and under what rules; default: a model, without any. "as-given" where that is decided. */
  readonly visibility?: VisibilityFilter | "as-given";
  /** Which skills matter most when not all of them fit. */
  readonly rank?: RankInputs;
  /** How skills are found that do not fit; without it the note sends the model to the user. */
  readonly search?: CatalogSearch;
  /** How many more skills there are than those given; the note counts them. */
  readonly unlisted?: number;
}

/** What a model is told about the skills it may load, and what that leaves out. */
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
  markdown: MARKDOWN_FORM,
  tool: TOOL_FORM,
  json: JSON_FORM,
};

/**
 * Writes what a model is told about the skills it may load, within a budget.
 *
 * @example
 * const { text, report } = createCatalog(skills.snapshot.skills, { budget: { contextWindow: 200_000 } });
 */
export function createCatalog(skills: readonly Skill[], options: CatalogOptions = {}): Catalog {
  const count = options.countTokens === undefined ? undefined : checkedCount(options.countTokens);
  const budget = resolveBudget(options.budget, count);
  const form = formOf(options.format ?? "xml");
  const { visible, hidden } =
    options.visibility === "as-given"
      ? { visible: skills, hidden: [] }
      : visibleSkills(skills, options.visibility);
  const draft = draftCatalog(visible, {
    form,
    weigh: budget.weigh,
    rank: () => rankSkills(visible, options.rank),
    search: options.search,
    unlisted: options.unlisted ?? 0,
  });
  const { plan, text } = fitCatalog(draft, budget);
  return {
    text,
    tokens: text === "" ? 0 : (count ?? countTokens)(text),
    characters: text.length,
    report: reportPlan(plan, { draft, skills: visible, hidden }),
  };
}

/** The form of a format; throws a SkilletError if there is none. */
export function formOf(format: CatalogFormat): CatalogForm {
  if (Object.hasOwn(FORMS, format)) return FORMS[format];
  throw new SkilletError(
    "invalid-format",
    `There is no format ${JSON.stringify(format)}; pass one of ${Object.keys(FORMS).join(", ")}.`,
    { data: { format } },
  );
}
