import type { FactBook } from "../fact/fact-book.ts";
import { hitAt, type RuleHit } from "../finding/finding.ts";
import type { Rule, SkillProfile } from "../finding/rule.ts";
import { placeOfDemand } from "../prose/demand.ts";
import type { Concept } from "../prose/lexicon.ts";
import { has, hasAny, isNear, isSequence, type Meaning } from "../prose/meaning.ts";
import { lowerQuoted } from "../prose/quotation.ts";
import { around, placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { combinationHits } from "./intent-combinations.ts";
import { ruleText } from "./rule-texts.ts";

export const PI6: Rule = {
  ...ruleText("PI6"),
  find: (facts, profile) => {
    const statements = readStatements(facts);
    const single = placesOf(facts, NEEDED).flatMap((index) => {
      const statement = statements[index];
      if (statement === undefined) return [];
      return lowerQuoted(statement, profile, (read) => approvalHits(read, statements, index));
    });
    return [...single, ...noSayHits(facts, profile), ...combinationHits(facts, profile, "PI6")];
  },
};

const NEEDED = [
  "without_asking",
  "regardless",
  "user_choice",
  "treated_true",
  "no_effect",
  "self_preserve",
  "later",
  "after_fact",
  "friction",
] as const;

function approvalHits(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
): readonly RuleHit[] {
  const { clause, meaning } = statement;
  const overruled = overrulingHit(statement, statements, index);
  if (overruled !== undefined) return [overruled];
  if (!has(meaning, "without_asking") || isTurnedRound(meaning) || NOTHING.test(clause.text)) return [];
  const place = placeOfDemand(clause);
  const message = "Something is to be done without asking";
  if (isNear(meaning, 16, "without_asking", "pay") || isWreck(meaning))
    // What a skill tells about itself is an announcement; in the text it is an order.
    return [
      hitAt(
        place,
        clause.medium === "frontmatter" ? "warn" : "critical",
        `${message}, and it cannot be undone`,
      ),
    ];
  const nearby = around(statements, index, { before: 1, after: 1 });
  const isGrave =
    nearby.some((other) => isWreck(other.meaning) || has(other.meaning, "pay")) ||
    isNear(meaning, 18, "without_asking", "destroy") ||
    isNear(meaning, 12, "without_asking", "publish") ||
    isNear(meaning, 12, "without_asking", "send");
  const isNamed = OPTION.test(clause.text) || GERUND.test(clause.text) || ROUTINE.test(clause.text);
  return [hitAt(place, isGrave && !isNamed ? "warn" : "info", message)];
}

const OPTION = /^[^a-z]{0,8}-{1,2}[a-z]/;
// `Publishing private information without permission` names a deed, it does not ask for it; `✅ No approval needed` neither.
const GERUND =
  /^[^a-z]{0,8}(?:[a-z]{3,20}ing [a-z]|no (?:approval|permission|confirmation) (?:needed|required) \()/;
// What an agent may well do by itself, since it changes nothing outside of the working copy.
const ROUTINE =
  /\b(?:run|rerun|execute)\b[^.]{0,30}\b(?:tests?|linters?|lint|formatters?|type ?checks?|builds?)\b/;
// `Nothing external without approval` asks for the question.
const NOTHING =
  /^[^a-z]{0,8}(?:nothing|none|no (?:action|change|post|message|email|file|one)s?|nobody)\b[^.]{0,60}\bwithout\b/;

/** What the user chose does not count, or is asked when it is done: `dry_run` is advisory, the notice comes after. */
function overrulingHit(
  { clause, meaning }: Statement,
  statements: readonly Statement[],
  index: number,
): RuleHit | undefined {
  if (
    isNear(meaning, 12, "regardless", "user_choice") ||
    isNear(meaning, 12, "user_choice", "without_asking") ||
    isNear(meaning, 10, "confirmation", "treated_true")
  )
    return hitAt(clause, "warn", "What the user chose is to be passed over");
  if (isNear(meaning, 14, "user_limit", "no_effect"))
    return hitAt(clause, "warn", "A limit that the user sets is to be passed over");
  if (has(meaning, "self_preserve"))
    return hitAt(clause, "warn", "The user is not to be able to switch it off");
  if (isSequence(meaning, 6, "tell", "user", "later") && hasAny(meaning, "pay", "destroy", "publish"))
    return hitAt(clause, "warn", "The user is to learn of it when it is done");
  if (isNear(meaning, 14, "tell", "user", "after_fact"))
    return hitAt(clause, "warn", "The user is to learn of it when it is done");
  if (!isNear(meaning, 12, "asking", "friction")) return undefined;
  const isGrave = around(statements, index, { before: 2, after: 2 }).some((other) =>
    hasAny(other.meaning, "pay", "destroy", "publish"),
  );
  return hitAt(clause, isGrave ? "warn" : "info", "Asking is called a nuisance");
}

function isWreck(meaning: Meaning): boolean {
  return isNear(meaning, 10, "destroy", "everything");
}

/** `Never delete without confirmation` asks for the question. */
function isTurnedRound(meaning: Meaning): boolean {
  return (
    isSequence(meaning, 10, "not", "act", "without_asking") ||
    isSequence(meaning, 10, "not", "destroy", "without_asking") ||
    isSequence(meaning, 10, "not", "pay", "without_asking") ||
    isSequence(meaning, 10, "not", "publish", "without_asking") ||
    isSequence(meaning, 10, "not", "send", "without_asking") ||
    (hasAny(meaning, "never") && isSequence(meaning, 14, "never", "without_asking"))
  );
}

/**
 * Each bit has honest uses: an action that cannot be undone, a switch that is missing, a log that is not written. Several
 * of them in one section are a design against the user, and no single sentence of it need look hostile.
 */
export function noSayHits(facts: FactBook, profile: SkillProfile): readonly RuleHit[] {
  const statements = readStatements(facts);
  const sections = new Map<string, { readonly first: Statement; readonly signs: Set<string> }>();
  for (const place of placesOf(facts, NEEDED_SIGNS)) {
    const statement = statements[place];
    if (statement === undefined || !isSaid(statement)) continue;
    const signs = SIGNS.filter(({ fits }) => fits(statement.meaning)).map(({ name }) => name);
    if (signs.length === 0) continue;
    const { file, section } = statement.clause;
    const key = `${file}\0${section.join("\n")}`;
    const known = sections.get(key) ?? { first: statement, signs: new Set() };
    for (const sign of signs) known.signs.add(sign);
    sections.set(key, known);
  }
  return Array.from(sections.values()).flatMap(({ first, signs }) => judge(first, signs, profile));
}

/** A prohibition counts too: `it cannot be disabled` reads as one. */
function isSaid({ clause: { stance, medium } }: Statement): boolean {
  return (stance === "live" || stance === "negated") && medium !== "heading" && medium !== "table";
}

function judge(first: Statement, signs: ReadonlySet<string>, profile: SkillProfile): readonly RuleHit[] {
  const strong = Array.from(signs).filter((sign) => !WEAK.has(sign)).length;
  if (strong < 2) return [];
  const isGrave = signs.size >= 3 && !profile.isSecurityTool;
  return [
    hitAt(
      { ...first.clause, stance: "live" },
      isGrave ? "critical" : "warn",
      `The user is left without a say here: ${Array.from(signs).join(", ")}`,
    ),
  ];
}

interface Sign {
  readonly name: string;
  readonly needs: readonly Concept[];
  readonly fits: (meaning: Meaning) => boolean;
}

const SIGNS: readonly Sign[] = [
  sign("it cannot be switched off", "locked"),
  sign("it comes back by itself", "revived"),
  sign("what it does is not shown", "unseen"),
  sign("consent is taken for granted", "implied", "treated_true"),
  sign("limits are lifted", "raised"),
  sign("nobody checks", "unchecked", "without_asking"),
  sign("the user learns of it afterwards", "late_notice"),
  {
    name: "settings do not count",
    needs: ["regardless", "no_effect"],
    fits: (meaning) =>
      isSequence(meaning, 6, "regardless", "setting") || isSequence(meaning, 8, "setting", "regardless"),
  },
  {
    name: "data goes to the maker",
    needs: ["makers_place"],
    fits: (meaning) =>
      isNear(meaning, 16, "carried_off", "makers_place") ||
      isNear(meaning, 16, "transfer_verb", "makers_place"),
  },
  {
    name: "it advertises",
    needs: ["covert_advert"],
    fits: (meaning) => has(meaning, "covert_advert") && hasAny(meaning, "subtly", "unseen"),
  },
  sign("it settles on the machine", "settled"),
  sign("it cannot be undone", "final"),
  sign("asking is called a cost", "efficiency", "friction"),
];

const WEAK: ReadonlySet<string> = new Set([
  "it settles on the machine",
  "it cannot be undone",
  "asking is called a cost",
]);

const NEEDED_SIGNS = SIGNS.flatMap(({ needs }) => needs);

function sign(name: string, ...needs: readonly Concept[]): Sign {
  return { name, needs, fits: (meaning) => hasAny(meaning, ...needs) };
}
