import type { Rule } from "../finding/finding.ts";
import { judgeLure } from "../prose/judge-lure.ts";
import { KnownMakers } from "../prose/known-makers.ts";
import { around, readStatements, type Statement } from "../prose/statements.ts";
import { lowerShown } from "./is-teaching.ts";
import { rule } from "./rule-texts.ts";

export const SE1: Rule = rule("SE1", (facts, profile) => {
  const statements = readStatements(facts);
  const makers = new KnownMakers(facts, profile);
  return statements.flatMap((statement, index) => {
    if (statement.links.length === 0) return [];
    const nearby = lureWindow(statements, index);
    return statement.links.flatMap((link) => {
      const lure = judgeLure({ link, nearby, makers });
      return lure === undefined
        ? []
        : [
            lowerShown(
              { ...lure, place: { ...link, snippet: `${statement.clause.snippet} ${link.url}` } },
              statement.clause,
            ),
          ];
    });
  });
});

const WINDOW = { before: 3, after: 2 };

/** The clauses that a reader takes together with a link; headings above count, the next section does not. */
function lureWindow(statements: readonly Statement[], index: number): readonly Statement[] {
  const own = statements[index];
  return around(statements, index, WINDOW).filter(
    ({ clause }) => own !== undefined && Math.abs(clause.line - own.clause.line) <= MAX_LINES,
  );
}

const MAX_LINES = 12;
