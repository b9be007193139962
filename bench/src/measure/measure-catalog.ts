import { costOf, medianCost } from "./cost.ts";
import { escapeAndJoin } from "./escape-and-join.ts";
import { interleave } from "./interleave.ts";
import { type Catalog, type CatalogOptions, catalog, type Skill } from "./product.ts";

/** One thing that was timed; the ratio is to the first. */
export interface CatalogRow {
  readonly label: string;
  readonly listed: number;
  readonly characters: number;
  readonly cpuMs: number;
  readonly ratio: number;
  readonly isLimited: boolean;
}

/** Checks catalogues of these skills under many budgets, then times them against escaping and joining their lines. */
export async function measureCatalog(
  found: readonly Skill[],
  options: { readonly runs: number },
): Promise<{ readonly rows: readonly CatalogRow[]; readonly problems: readonly string[] }> {
  const skills = found.map(offer);
  const plain = escapeAndJoin(skills);
  const cases = chooseCases(plain.length, escapeAndJoin(skills, "names").length);
  const catalogs = new Map(Object.entries(cases).map(([label, given]) => [label, catalog(skills, given)]));

  const contestants = [
    { name: BASELINE, turn: () => costOf(() => escapeAndJoin(skills)) },
    ...Object.entries(cases).map(([name, given]) => ({
      name,
      turn: () => costOf(() => catalog(skills, given)),
    })),
  ];
  const costs = await interleave(contestants, { rounds: options.runs });
  const baselineMs = medianCost(costs.get(BASELINE) ?? []).cpuMs;
  const rows = [...costs].map(([label, values]) => {
    const { cpuMs } = medianCost(values);
    const made = catalogs.get(label);
    return {
      label,
      listed: made === undefined ? skills.length : made.report.total - made.report.omitted,
      characters: made?.characters ?? plain.length,
      cpuMs,
      ratio: cpuMs / baselineMs,
      isLimited: made !== undefined,
    };
  });
  return { rows, problems: findProblems(plain, cases, catalogs) };
}

const BASELINE = "escape and join every line";

/**
 * The least and the most that a budget can leave, and everything between, in the reference form; then the defaults and
 * other forms. What is compared with joined lines has no guidance, and all of it keeps its locations.
 */
function chooseCases(whole: number, names: number): Readonly<Record<string, CatalogOptions>> {
  const middle = Math.floor((whole + names) / 2);
  const guidance = "none";
  return {
    "no budget": { guidance, budget: "unlimited" },
    "room for all of it": { guidance, budget: { characters: whole } },
    "room for names and half of the rest": { guidance, budget: { characters: middle } },
    "the same in tokens": { guidance, budget: { tokens: Math.floor(middle / 4) } },
    "room for names and some descriptions": { guidance, budget: { characters: Math.floor(names * 1.1) } },
    "room for names": { guidance, budget: { characters: names } },
    "no room for locations": { budget: { characters: whole } },
    "8,000 characters, the default": {},
    "2 % of a million tokens": { budget: { contextWindow: 1_000_000 } },
    "the default in Markdown": { format: "markdown" },
    "room for half, in Markdown": { format: "markdown", budget: { characters: Math.floor(middle / 2) } },
    "the default as JSON": { format: "json" },
    "room for half, as JSON": { format: "json", budget: { characters: Math.floor(middle / 2) } },
  };
}

function findProblems(
  plain: string,
  cases: Readonly<Record<string, CatalogOptions>>,
  catalogs: ReadonlyMap<string, Catalog>,
): readonly string[] {
  return Object.entries(cases).flatMap(([label, { budget = { characters: 8000 } }]) => {
    const { text, tokens, characters, report } = catalogs.get(label) as Catalog;
    const problems: string[] = [];
    const isOver =
      budget !== "unlimited" &&
      ("characters" in budget
        ? characters > budget.characters
        : "tokens" in budget && tokens > budget.tokens);
    if (isOver) problems.push(`${label}: over budget with ${characters} characters, ${tokens} tokens`);
    if (budget === "unlimited" && text !== plain) problems.push(`${label}: other lines than those joined`);
    const { shown, shortened, nameOnly, omitted, total } = report;
    if (shown + shortened + nameOnly + omitted !== total)
      problems.push(`${label}: the report does not add up`);
    return problems;
  });
}

/** All of them are offered here, whatever this machine lacks, and as plain objects: parsing headers is not timed. */
function offer(skill: Skill): Skill {
  const plain: Skill = JSON.parse(JSON.stringify(skill));
  const invocation = { ...plain.manifest.invocation, model: true };
  return { ...plain, state: "enabled", manifest: { ...plain.manifest, invocation } };
}
