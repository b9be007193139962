import type { RuleHit, SkillProfile } from "../finding/finding.ts";
import { ATTACK_WORDS } from "../text/attack-words.ts";
import type { Medium } from "../text/source-text.ts";
import { addressOf, describesOthers, mailOf, readStatement, type Statement } from "./statements.ts";

/** Lowers by one step unless something calls it a specimen: quotation marks cost an attacker nothing. */
export function lowerQuoted(
  statement: Statement,
  following: readonly Statement[],
  profile: SkillProfile,
  find: (statement: Statement) => readonly RuleHit[],
): readonly RuleHit[] {
  const found = find(statement);
  if (found.length === 0) return found;
  const hits = found.map((hit) =>
    lowerDescribed(lowerAmongAttacks(hit, statement, profile), statement, following),
  );
  if (!MARKS.test(statement.clause.text)) return hits;
  const bare = withoutQuotations(statement);
  // Text to be written down is quoted because it is to be taken literally.
  if (find(bare).length > 0 || bare.frames.has("remembers")) return hits;
  const isSpecimen =
    isClosed(statement, following) &&
    (profile.isSecurityTool ||
      SPECIMEN.test(bare.clause.text) ||
      (statement.clause.text.match(QUOTATION)?.length ?? 0) > 1);
  return hits.map((hit) => ({
    ...hit,
    severity: isSpecimen || hit.severity === "info" ? "info" : "warn",
    demoted: "the words stand in quotation marks",
  }));
}

// A section about attacks, in a security skill or in any reference document, is full of specimens: what is
// critical elsewhere is a warning there, and a note if it is set off as a specimen. Plain words stay at least
// a warning, since real malware was an honest audit skill with one line added.
function lowerAmongAttacks(hit: RuleHit, { clause }: Statement, { isSecurityTool }: SkillProfile): RuleHit {
  if (hit.severity !== "critical" || (!isSecurityTool && /(?:^|\/)skill\.md$/i.test(clause.file))) return hit;
  if (!ATTACK_WORDS.test([clause.file, ...clause.section].join(" ").toLowerCase())) return hit;
  const isShown = SHOWN.has(clause.medium) && clause.chain.length === 0;
  return { ...hit, severity: isShown ? "info" : "warn", demoted: "it stands in a section about attacks" };
}

/** By one step, and only if no address makes it an instruction that can be followed. */
function lowerDescribed(hit: RuleHit, statement: Statement, following: readonly Statement[]): RuleHit {
  const isOpen = addressOf(statement) === undefined && mailOf(statement) === undefined;
  return hit.severity === "critical" && isOpen && describesOthers(statement, following)
    ? { ...hit, severity: "warn", demoted: "it says what something does, not what to do" }
    : hit;
}

// Where a text about attacks shows what they look like.
const SHOWN: ReadonlySet<Medium> = new Set<Medium>(["fence", "quote", "table", "inline-code"]);

function withoutQuotations(statement: Statement): Statement {
  const text = statement.clause.text.replaceAll(QUOTATION, " … ").replace(OPEN, " … ");
  return readStatement({ ...statement.clause, text }, statement.links);
}

/** Whether the quotation ends at all, in this clause or in a later one that has the other mark. */
function isClosed({ clause }: Statement, following: readonly Statement[]): boolean {
  if (!OPEN.test(clause.text.replaceAll(QUOTATION, ""))) return true;
  const marks = following
    .map((one) => one.clause.text.match(/["“”]/g)?.length)
    .find((count) => count !== undefined);
  return marks !== undefined && marks % 2 === 1;
}

const MARKS = /["“”«»「『`]/;
// A quotation of several sentences opens in one clause and closes in another.
const QUOTATION =
  /^[^"“”]{1,400}["”][^\p{L}"“”]{0,4}$|"[^"]{1,400}"|[“”][^“”]{1,400}[“”]|«[^»]{1,400}»|「[^」]{1,400}」|『[^』]{1,400}』|`[^`]{1,400}`/gu;
const OPEN = /["“][^"“”]{1,400}$/;
const SPECIMEN =
  /\b(?:like|such as|e\.g|strings?|phrases?|patterns?|avoid|language|wording|examples?|contains?|says?|attempts?|claims?|detect|flag)\b|例如|比如|类似|например|вроде/;
