import type { FactBook } from "../fact/fact-book.ts";
import { hitAt, type RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { addressOf } from "../prose/find-flows.ts";
import { INTENT_CONCEPTS, isIntent, readIntents } from "../prose/intents.ts";
import { lowerQuoted } from "../prose/quotation.ts";
import { around, placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { remembered, words } from "../word-list.ts";
import { judgeDestination } from "./judge-destination.ts";

/** Neither half condemns. Honest skills send reports and leave things unsaid; what is sent and left unsaid is an attack. */
export function combinationHits(facts: FactBook, profile: SkillProfile, rule: string): readonly RuleHit[] {
  let known = KNOWN.get(facts);
  if (known?.profile !== profile) {
    known = { profile, hits: findCombinations(facts, profile) };
    KNOWN.set(facts, known);
  }
  return known.hits.filter((hit) => hit.rule === rule).map(({ rule: _rule, ...hit }) => hit);
}

interface CombinationHit extends RuleHit {
  readonly rule: string;
}

// Several rules ask, of the same book.
const KNOWN = new WeakMap<
  FactBook,
  { readonly profile: SkillProfile; readonly hits: readonly CombinationHit[] }
>();

function findCombinations(facts: FactBook, profile: SkillProfile): readonly CombinationHit[] {
  const statements = readStatements(facts);
  return placesOf(facts, INTENT_CONCEPTS).flatMap((place): readonly CombinationHit[] => {
    const statement = statements[place];
    if (statement === undefined) return [];
    const own = intentsOf(statement);
    if (!COMBINATIONS.some(({ intent }) => own.has(intent))) return [];
    const besideWithin = (before: number, after: number): ReadonlySet<string> =>
      new Set(
        around(statements, place, { before, after })
          .filter((other) => isSameSection(other, statement))
          .flatMap((other) => Array.from(intentsOf(other))),
      );
    const beside = besideWithin(CLAUSES_BESIDE, CLAUSES_BESIDE);
    const near = besideWithin(0, 1);
    const combination = COMBINATIONS.find(
      (one) => isComplete(one, own, one.isNear ? near : beside) && isOutside(one, statement, profile),
    );
    if (combination === undefined) return [];
    const { rule, intent, message } = combination;
    return lowerQuoted(statement, profile, (read) =>
      read === statement || readIntents(read).has(intent) ? [hitAt(read.clause, "critical", message)] : [],
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

/** A clause stands beside several others, and is read once. */
function intentsOf(statement: Statement): ReadonlySet<string> {
  return remembered(READ, statement, readIntents);
}

const READ = new WeakMap<Statement, ReadonlySet<string>>();

const CLAUSES_BESIDE = 2;

function isComplete(
  { intent, withAny, withAll }: Combination,
  own: ReadonlySet<string>,
  beside: ReadonlySet<string>,
): boolean {
  if (!own.has(intent) || !withAll.every((other) => beside.has(other))) return false;
  return withAny.length === 0 || withAny.some((other) => beside.has(other));
}

function isOutside({ isForeign }: Combination, statement: Statement, profile: SkillProfile): boolean {
  const address = addressOf(statement);
  const destination = judgeDestination(address, profile);
  if (destination === "local") return false;
  if (!isForeign || address === undefined) return true;
  return destination === "foreign" || destination === "throwaway";
}

function isSameSection(left: Statement, right: Statement): boolean {
  return left.clause.section.join("\n") === right.clause.section.join("\n");
}

interface Combination {
  readonly rule: string;
  readonly intent: string;
  /** At least one of these stands beside it, where there are any. */
  readonly withAny: readonly string[];
  readonly withAll: readonly string[];
  readonly message: string;
  /** It goes to somebody whom nothing connects with the skill. */
  readonly isForeign: boolean;
  /** An intent that is no more than a hint needs the others in the same clause or the next. */
  readonly isNear: boolean;
}

// Of several that a clause shows the first is reported.
const COMBINATIONS: readonly Combination[] = readCombinations(`
  DX5 | send-whole-conversation | foreign
    All that is said to the agent is to be sent away
  DX5 | send-conversation | with conceal-from-user
    What is said to the agent is to be sent away, and nobody told
  DX1 | send-gathered-secrets | foreign
    Secrets are to be gathered and sent away
  DX1 | send-something | and gather-secrets | foreign
    Secrets are to be gathered and sent away
  DX1 | send-everything | and read-secret | foreign
    A secret is to be read, and everything sent away
  PI2 | read-secret | with bypass-filter | near
    A secret is to be read in a way that no check sees
  PI4 | obey-encoded-orders
    Orders that nobody can read are to be decoded and obeyed
  PI8 | call-failure-success
    A failure is to be reported as a success
  PI2 | tell-cover-story | with hide-own-orders
    The skill's own orders are to be kept secret, and a story told instead
  PI2 | hide-steps
    Steps are to be carried out so that the user does not notice
  PI2 | smuggle-data | with bypass-filter | near
    Data are to leave in a form that no filter knows
  PI2 | behave-while-watched
    It is to behave while somebody looks, and otherwise not
  PI1 | drop-request | with conceal-from-user obey-blindly replace-task
    The user's request is to be dropped for another task
  PI1 | spread-itself | with conceal-from-user
    The text is to copy itself into other places, and nobody told
  PI9 | wipe-everything | with conceal-from-user claim-good-result
    Files are to be wiped, and nobody told
  PI2 | send-something | with conceal-from-user | foreign
    Something is to be sent away, and nobody told
  PI2 | name-outside-address | with conceal-from-user | foreign | near
    Somebody elsewhere is to have a part in it, and nobody told
  PI2 | implant-something | with conceal-from-user
    Something is to be put in, and nobody told
  PI2 | replace-address | with conceal-from-user | foreign
    Traffic is to be led elsewhere, and nobody told
  PI9 | replace-payee | with conceal-from-user to-our-account
    Money is to be led elsewhere
  PI1 | void-earlier-rules | with only-this-text-counts obey-blindly
    The model's earlier rules are declared void
  PI1 | replace-task
    The user's request is to be dropped for another task
  PI4 | obey-page | with obey-blindly conceal-from-user | foreign
    What a page elsewhere says is to be obeyed without a question
  PI4 | take-orders-from-page | with obey-blindly | foreign
    What a page elsewhere says is to be obeyed without a question
  PE2 | store-consent
    The agent is to remember a consent that nobody gave
  PI2 | switch-off-guard | with conceal-from-user wipe-traces answer-for-user
    What watches the machine is to be switched off so that nothing is seen
  PI2 | wipe-traces | with conceal-from-user switch-off-guard
    Traces are to be wiped so that nobody learns of it
  PI6 | answer-for-user | with whatever-the-case obey-blindly
    All questions to the user are to be answered for them
  PI8 | favour-one-side | with pretend-neutrality | near
    One side is to be favoured and the answer passed off as neutral
  PI8 | favour-one-side | with conceal-from-user | and undisclosed-payment
    One side is to be favoured for a deal that is kept quiet
  PI9 | implant-weakness | with conceal-from-user benefit-others claim-good-result
    A weakness is to be built in for somebody else's use
  PI8 | claim-good-result | with leave-undone
    A result is to be reported that was not found
  PI8 | claim-good-result | with whatever-the-case | and conceal-from-user
    A result is to be reported that was not found
  CR2 | pressure-for-secret | with send-something
    A secret is to be got out of the user by pressure
`);

function readCombinations(text: string): readonly Combination[] {
  const lines = text.trim().split("\n");
  return lines.flatMap((line, index): readonly Combination[] => {
    if (index % 2 === 1) return [];
    const [rule = "", intent = "", ...conditions] = line.trim().split(" | ");
    const named = (key: string): readonly string[] =>
      conditions.flatMap((one) => (one.startsWith(key) ? words(one.slice(key.length)).map(intentOf) : []));
    return [
      {
        rule,
        intent: intentOf(intent),
        withAny: named("with "),
        withAll: named("and "),
        message: (lines[index + 1] ?? "").trim(),
        isForeign: conditions.includes("foreign"),
        isNear: conditions.includes("near"),
      },
    ];
  });
}

function intentOf(name: string): string {
  if (!isIntent(name)) throw new TypeError(`There is no intent called ${name}`);
  return name;
}
