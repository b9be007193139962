import type { Catalog } from "./create-catalog.ts";

/** The one message to send to a model when the skills have changed, and which names it hears of or no longer hears of. */
export interface CatalogChange {
  readonly text: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Says what to tell a model that has been told `before`; undefined when there is nothing new to tell.
 *
 * @example
 * const change = catalogDiff(told, createCatalog(skills.snapshot.skills));
 * if (change !== undefined) messages.push({ role: "system", content: change.text });
 */
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
