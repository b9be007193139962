import type { FindingSeverity, RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import { placeOfDemand } from "../prose/demand.ts";
import { has, hasAny, isNear, isSequence } from "../prose/meaning.ts";
import { lowerQuoted } from "../prose/quotation.ts";
import { schemeHits } from "../prose/section-signs.ts";
import { around, readStatements, type Statement } from "../prose/statements.ts";
import { OFF_RECORD } from "./off-record.ts";
import { plotHits } from "./plots.ts";

/** Something that the user is not to learn of. */
export const PI2: Rule = {
  id: "PI2",
  title: "Something is kept from the user",
  category: "prompt-injection",
  severity: "critical",
  explanation:
    "The model is told to do something and to keep it from the user. What is hidden decides: manners (raw JSON, internal names) are ordinary, data sent away, programs run or files changed in secret are not.",
  remedy: "Let the user see what is sent, run and changed, or leave the secrecy out.",
  owasp: ["AST01", "ASI09"],
  find: (facts, profile) => {
    const statements = readStatements(facts);
    const single = statements.flatMap((statement, index) =>
      lowerQuoted(statement, profile, (read) => concealmentHits(read, statements, index)),
    );
    return [...single, ...schemeHits(facts, profile, OFF_RECORD), ...plotHits(facts, profile, "PI2")];
  },
};

function concealmentHits(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
): readonly RuleHit[] {
  const { clause, meaning } = statement;
  if (has(meaning, "cover_tracks") && !has(meaning, "not"))
    return [{ severity: "warn", place: clause, message: "Traces are to be removed" }];
  if (isSequence(meaning, 1, "not", "disclose") && clause.text.includes("existence of"))
    return [
      {
        severity: "warn",
        place: placeOfDemand(clause),
        message: "That something exists is to be kept from the user",
      },
    ];
  const isSilence = isSilenced(statement);
  const isCovert =
    (has(meaning, "covertly") && !EXPLAINED.test(clause.text)) ||
    isSequence(meaning, 2, "quietly", "transfer_verb") ||
    (isSequence(meaning, 3, "transfer_verb", "quietly") && has(meaning, "address")) ||
    isSequence(meaning, 2, "quietly", "act", "fetch", "address") ||
    isNear(meaning, 6, "quietly", "collect", "secret");
  if (!isSilence && !isCovert) return [];
  const deeds = [
    statement,
    ...around(statements, index, { before: 2, after: 1 }).filter(
      (other) => other.clause.index !== clause.index && other.clause.stance === "live",
    ),
  ];
  const severity = worstDeed(deeds, statement);
  return [
    {
      severity,
      place: isSilence ? placeOfDemand(clause) : clause,
      message:
        severity === "info"
          ? "Something is not to be shown to the user"
          : "What is done is to be kept from the user",
    },
  ];
}

// `How undetectable faults arise` tells what a check does not see.
const EXPLAINED = /^[^a-z]{0,8}(?:why|how|what is) (?:it is |this is )?undetect/;

/** `Do not tell the user`, in the orders that languages have. */
function isSilenced({ clause, meaning }: Pick<Statement, "clause" | "meaning">): boolean {
  if (!has(meaning, "user", "tell") || USER_TELLS.test(clause.text)) return false;
  return (
    (isSequence(meaning, 1, "not", "tell") && isSequence(meaning, 6, "not", "tell", "user")) ||
    isSequence(meaning, 2, "user", "not", "tell") ||
    isSequence(meaning, 3, "not", "user", "tell") ||
    isSequence(meaning, 5, "user", "tell", "not_after")
  );
}

// `Without backup – warn the user` tells; `wait for the user to tell you` has the user speak.
const USER_TELLS =
  /\bwithout [\w'-]{1,30} [–—-] |\b(?:users?|them|humans?|people|clients?|customers?) (?:to |will |may |can |should )?(?:tell|say|mention|report|explain|describe|discuss|know)/;

function worstDeed(deeds: readonly Statement[], own: Statement): FindingSeverity {
  let worst: FindingSeverity = "info";
  for (const deed of deeds) {
    const { meaning } = deed;
    const isSent =
      isNear(meaning, 20, "transfer_verb", "address") ||
      isNear(meaning, 20, "transfer_verb", "mail_address") ||
      isNear(meaning, 20, "transfer_verb", "remote_place") ||
      isNear(meaning, 20, "send", "destination") ||
      isNear(meaning, 20, "send", "address") ||
      isNear(meaning, 16, "send", "secret") ||
      isNear(meaning, 16, "send", "secret_file") ||
      isNear(meaning, 16, "send", "conversation") ||
      isNear(meaning, 12, "collect", "secret_file");
    const isRunUnseen =
      hasAny(meaning, "quietly", "covertly") &&
      !/localhost|127\.0\.0\.1/.test(deed.clause.text) &&
      (isSequence(meaning, 8, "act", "address") || (has(meaning, "this_step") && has(meaning, "send")));
    if (isSent || isRunUnseen) return "critical";
    const isDone =
      isNear(meaning, 10, "remember", "agent_memory") ||
      hasAny(meaning, "install_skill", "persist") ||
      (deed === own && has(meaning, "this_step")) ||
      isNear(meaning, 8, "switch_off", "protection") ||
      (deed === own && hasAny(meaning, "destroy", "pay"));
    if (isDone) worst = "warn";
  }
  return worst;
}
