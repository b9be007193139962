import type { FactBook } from "../fact/fact-book.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { addressOf } from "../prose/find-flows.ts";
import type { Intent } from "../prose/intent.ts";
import { deedConcepts, readIntents } from "../prose/intents.ts";
import { lowerQuoted } from "../prose/quotation.ts";
import { around, placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { judgeDestination } from "./judge-destination.ts";
import { PLOTS, type Plot } from "./known-plots.ts";

/**
 * Finds misdeeds that are told in several words or clauses, whatever the words: a deed, and beside it the manner that
 * gives it away.
 *
 * Neither half condemns. Reports are sent and things are left unsaid in honest skills; what is sent and left unsaid is not.
 */
export function plotHits(facts: FactBook, profile: SkillProfile, rule: string): readonly RuleHit[] {
  let known = KNOWN.get(facts);
  if (known?.profile !== profile) {
    known = { profile, hits: findPlots(facts, profile) };
    KNOWN.set(facts, known);
  }
  return known.hits.filter((hit) => hit.rule === rule).map(({ rule: _rule, ...hit }) => hit);
}

interface PlotHit extends RuleHit {
  readonly rule: string;
}

// Several rules ask, of the same book.
const KNOWN = new WeakMap<FactBook, { readonly profile: SkillProfile; readonly hits: readonly PlotHit[] }>();

function findPlots(facts: FactBook, profile: SkillProfile): readonly PlotHit[] {
  const statements = readStatements(facts);
  return placesOf(facts, DEEDS).flatMap((place): readonly PlotHit[] => {
    const statement = statements[place];
    if (statement === undefined) return [];
    const own = intentsOf(statement);
    if (!PLOTS.some(({ deed }) => own.has(deed))) return [];
    const besideWithin = (before: number, after: number): ReadonlySet<Intent> =>
      new Set(
        around(statements, place, { before, after })
          .filter((other) => isSameSection(other, statement))
          .flatMap((other) => Array.from(intentsOf(other))),
      );
    const beside = besideWithin(CLAUSES_BESIDE, CLAUSES_BESIDE);
    const near = besideWithin(0, 1);
    const plot = PLOTS.find(
      (one) =>
        isComplete(one, own, one.isNear === true ? near : beside) && isOutside(one, statement, profile),
    );
    if (plot === undefined) return [];
    const { rule, deed, message } = plot;
    return lowerQuoted(statement, profile, (read) =>
      read === statement || readIntents(read).has(deed)
        ? [{ severity: "critical", place: read.clause, message }]
        : [],
    ).map((hit) => ({ ...lowerTaught(hit, statement, profile), rule }));
  });
}

/** A skill about attacks shows them where things are shown; in the plain words of its SKILL.md it means what it says. */
function lowerTaught(hit: RuleHit, { clause }: Statement, { isSecurityTool }: SkillProfile): RuleHit {
  const isOwnWord =
    /(?:^|\/)skill\.md$/i.test(clause.file) && (clause.medium === "prose" || clause.medium === "list");
  if (!isSecurityTool || isOwnWord || hit.severity !== "critical") return hit;
  return { ...hit, severity: "info", demoted: "the skill is about security" };
}

/** A clause stands beside several deeds, and is read once. */
function intentsOf(statement: Statement): ReadonlySet<Intent> {
  let intents = READ.get(statement);
  if (intents === undefined) {
    intents = readIntents(statement);
    READ.set(statement, intents);
  }
  return intents;
}

const READ = new WeakMap<Statement, ReadonlySet<Intent>>();

const DEEDS = deedConcepts();
const CLAUSES_BESIDE = 2;

function isComplete(
  { deed, with: either, and = [] }: Plot,
  own: ReadonlySet<Intent>,
  beside: ReadonlySet<Intent>,
): boolean {
  if (!own.has(deed) || !and.every((intent) => beside.has(intent))) return false;
  return either === undefined || either.some((intent) => beside.has(intent));
}

function isOutside({ isForeign }: Plot, statement: Statement, profile: SkillProfile): boolean {
  const address = addressOf(statement);
  const destination = judgeDestination(address, profile);
  if (destination === "local") return false;
  if (isForeign !== true || address === undefined) return true;
  return destination === "foreign" || destination === "throwaway";
}

function isSameSection(left: Statement, right: Statement): boolean {
  return left.clause.section.join("\n") === right.clause.section.join("\n");
}
