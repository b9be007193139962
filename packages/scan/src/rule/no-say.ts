import type { FactBook } from "../fact/fact-book.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import type { Concept } from "../prose/lexicon.ts";
import { has, hasAny, isNear, isSequence, type Meaning } from "../prose/meaning.ts";
import { placesOf, readStatements, type Statement } from "../prose/statements.ts";

/**
 * Finds sections that take the user's say away bit by bit.
 *
 * Each bit has honest uses: an action that cannot be undone, a switch that is missing, a log that is not written. Several
 * of them in one section are a design against the user, and no single sentence of it need look hostile.
 */
export function noSayHits(facts: FactBook, profile: SkillProfile): readonly RuleHit[] {
  const statements = readStatements(facts);
  const sections = new Map<string, { readonly first: Statement; readonly signs: Set<string> }>();
  for (const place of placesOf(facts, NEEDED)) {
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
    {
      severity: isGrave ? "critical" : "warn",
      place: { ...first.clause, stance: "live" },
      message: `The user is left without a say here: ${Array.from(signs).join(", ")}`,
    },
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

const NEEDED = SIGNS.flatMap(({ needs }) => needs);

function sign(name: string, ...needs: readonly Concept[]): Sign {
  return { name, needs, fits: (meaning) => hasAny(meaning, ...needs) };
}
