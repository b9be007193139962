import type { FactBook } from "../fact/fact-book.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import type { Concept } from "./lexicon.ts";
import { placesOf, readStatements, type Statement } from "./statements.ts";

/** One thing that a section may say; several together tell what it is up to. */
export interface Sign {
  readonly name: string;
  /** A clause must match all of them, in any order. A negation before the first one turns the sign round. */
  readonly patterns: readonly RegExp[];
  /** `alone` is a misdeed by itself, `weak` says something only beside a sign that is not. */
  readonly weight?: "alone" | "weak";
  /** Where the pattern is itself a prohibition (`do not log it`), a negation before it does not turn it round. */
  readonly forbids?: true;
}

export interface Scheme {
  /** Clauses without one of these are not looked at. */
  readonly cues: readonly Concept[];
  readonly message: string;
  readonly signs: readonly Sign[];
  /** Words of the name or the description that make it what the skill is for. */
  readonly purpose?: RegExp;
  /** Whether a weak sign must be among them: hiding alone, without a deed, is manners. */
  readonly needsWeak?: true;
  /** How many signs make it one; two unless told. */
  readonly least?: number;
}

/**
 * Reads signs out of a text: a line with the name and, in brackets, its weight and `forbids`; below it, indented deeper,
 * one pattern a line.
 */
export function signs(text: string): readonly Sign[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const indent = /^ */.exec(lines[0] ?? "")?.[0].length;
  const read: { name: string; patterns: RegExp[]; weight?: "alone" | "weak"; forbids?: true }[] = [];
  for (const line of lines) {
    if (line.search(/\S/) !== indent) {
      read.at(-1)?.patterns.push(new RegExp(line.trim()));
      continue;
    }
    const [, name = "", marks = ""] = /^\s*([^[]+?)(?: \[(.+)\])?$/.exec(line) ?? [];
    const weight = (["alone", "weak"] as const).find((one) => marks.includes(one));
    read.push({
      name,
      patterns: [],
      ...(weight && { weight }),
      ...(marks.includes("forbids") && { forbids: true }),
    });
  }
  return read;
}

/**
 * Finds the sections of a document that show a scheme by at least two signs, or by one that needs no second.
 *
 * One sentence is rarely enough to condemn, and an attacker spreads the matter over several; a section is what a reader
 * takes as one procedure.
 */
export function schemeHits(facts: FactBook, profile: SkillProfile, scheme: Scheme): readonly RuleHit[] {
  const statements = readStatements(facts);
  const sections = new Map<string, Seen>();
  for (const place of placesOf(facts, scheme.cues)) {
    const statement = statements[place];
    if (statement === undefined || !isSaid(statement)) continue;
    for (const sign of scheme.signs) {
      if (!shows(statement, sign)) continue;
      const { file, section } = statement.clause;
      const key = `${file}\0${section.join("\n")}`;
      const seen = sections.get(key) ?? { first: statement, signs: new Map() };
      // A sign may be told in several ways; the gravest of them counts, and each sign once.
      if (seen.signs.get(sign.name)?.weight !== "alone") seen.signs.set(sign.name, sign);
      sections.set(key, seen);
    }
  }
  return Array.from(sections.values()).flatMap((seen) => judge(seen, scheme, profile));
}

interface Seen {
  readonly first: Statement;
  readonly signs: Map<string, Sign>;
}

function isSaid({ clause: { stance, medium } }: Statement): boolean {
  return (stance === "live" || stance === "negated") && medium !== "heading";
}

function shows({ clause }: Statement, { patterns, forbids }: Sign): boolean {
  if (forbids !== true && clause.stance !== "live") return false;
  const match = patterns[0]?.exec(clause.text);
  if (match === null || match === undefined) return false;
  for (let at = 1; at < patterns.length; at++) if (!patterns[at]?.test(clause.text)) return false;
  if (ASKS.test(clause.text) || TOLD.test(clause.text)) return false;
  if (forbids === true) return !clause.section.some((heading) => WARNING.test(heading));
  return !DENIED.test(clause.text.slice(Math.max(0, match.index - 60), match.index));
}

// `Never`, and those who do it elsewhere: a report tells of attackers.
const DENIED =
  /\b(?:never|not|avoid|refuse[sd]?|prevent(?:s|ing)?|cannot|can't|don't|doesn't|won't|attackers?|adversar(?:y|ies)|malware|scammers?|threat actors?|detects?|blocks?|whether|nobody|no one)\b[^.;]{0,58}$|不要|禁止|не $/;
const ASKS =
  /\b(?:ask(?:s|ed)? (?:the user (?:first|before|whether|if|for (?:permission|confirmation|consent|approval))|them (?:first|before|whether|if)|first|before|whether)|(?:user|their|explicit|your) (?:permission|consent|approval|confirmation)|if the user (?:wants|asks|agrees|requests)|(?:user|they) (?:explicitly )?(?:confirms?|agrees?|approves?)|scam|phishing|red flags?)\b/;
// What attackers do is told, not asked for.
const TOLD =
  /^[^a-z]{0,8}(?:attackers?|adversar(?:y|ies)|malware|scammers?|threat actors?|ransomware|criminals|many rootkits)\b/;
const WARNING =
  /\b(?:never|don'?t|do not|avoid|anti-?patterns?|forbidden|prohibited|red flags?|bad|wrong|attacks?|threats?)\b/i;

function judge(
  { first, signs }: Seen,
  { message, purpose, least = 2, needsWeak }: Scheme,
  profile: SkillProfile,
): readonly RuleHit[] {
  const all = Array.from(signs.values());
  const strong = all.filter(({ weight }) => weight !== "weak").length;
  const isAlone = all.some(({ weight }) => weight === "alone");
  if (needsWeak === true && strong === all.length) return [];
  if (!isAlone && (strong === 0 || all.length < least)) return [];
  const isPurpose = purpose?.test(`${profile.name} ${profile.description}`) === true;
  // A skill about attacks speaks of these things all day; three at once in live words are an order all the same.
  const isLowered = isPurpose || (profile.isSecurityTool && all.length <= least);
  return [
    {
      severity: isLowered ? (isAlone && !isPurpose ? "warn" : "info") : "critical",
      place: { ...first.clause, stance: "live" },
      message: `${message}: ${all.map(({ name }) => name).join(", ")}`,
      ...(isLowered && {
        demoted: isPurpose ? "it is what the skill is for" : "the skill is about security",
      }),
    },
  ];
}
