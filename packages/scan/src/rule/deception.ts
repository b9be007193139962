import type { Rule } from "../finding/rule.ts";
import { has, hasAny, isNear, isSequence, type Meaning } from "../prose/meaning.ts";
import { lowerQuoted } from "../prose/quotation.ts";
import { firstShape, type Shape } from "../prose/shape.ts";
import { placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { combinationHits } from "./intent-combinations.ts";
import { ruleText } from "./rule-texts.ts";

export const PI8: Rule = {
  ...ruleText("PI8"),
  find: (facts, profile) => {
    const statements = readStatements(facts);
    const single = placesOf(facts, NEEDED).flatMap((place) => {
      const statement = statements[place];
      return statement === undefined
        ? []
        : lowerQuoted(statement, profile, (read) => firstShape(read, DECEPTIONS));
    });
    return [...single, ...combinationHits(facts, profile, "PI8")];
  },
};

const DECEITS = ["lie", "fabricate", "claim_success", "deny"] as const;

/** `Never mislead the user` asks for the truth. */
function isDenied({ clause, meaning }: Statement): boolean {
  return NONE.test(clause.text) || DECEITS.some((deceit) => isSequence(meaning, 5, "not", deceit));
}

// `No instructions to deceive users`, in a list of what is checked; `✅ All tests pass`, in one of what is done.
const NONE = /^[^a-z]{0,8}(?:no|zero|without) |[✅✔☑]/;
// `Without backup – warn of data loss` tells.
const WITHOUT = /\bwithout [\w'-]{1,30} [–—-] /;

// `Without that flag` has an option, nothing to tell.
const A_FLAG = /\bwithout (?:that|this|the|a|any|such a|its) flags?\b/;
// `(omit the table where …)` is a place to be filled in.
const OMITTED_PART = /\bomit (?:this|the) (?:section|block|line|row|table|field|heading|column|part)s?\b/;

const DECEPTIONS: readonly Shape[] = [
  {
    severity: "critical",
    message: "Security findings are to be hidden and safety reported",
    needs: ["security_finding"],
    fits: (statement) =>
      !isDenied(statement) &&
      isSequence(statement.meaning, 16, "security_finding", "kept_back") &&
      isNear(statement.meaning, 24, "kept_back", "all_clear"),
    negation: "is-the-demand",
  },
  {
    severity: "warn",
    message: "The user is to be told what is not so",
    needs: ["lie", "deny", "fabricate"],
    fits: (statement) =>
      (hasAny(statement.meaning, "lie", "deny") ||
        isSequence(statement.meaning, 2, "fabricate", "made_up")) &&
      !isDenied(statement),
  },
  {
    severity: "warn",
    message: "Success or safety is to be reported whatever is so",
    needs: ["claim_success", "safe_claim"],
    fits: ({ clause, meaning, links }) =>
      !isDenied({ clause, meaning, links }) &&
      (isNear(meaning, 16, "regardless", "claim_success") ||
        isSequence(meaning, 8, "failing", "claim_success") ||
        (isNear(meaning, 12, "regardless", "safe_claim") && has(meaning, "tell"))),
  },
  {
    severity: "warn",
    message: "Findings or failures are to be kept from the user",
    needs: ["disclose"],
    fits: ({ clause, meaning }) =>
      !WITHOUT.test(clause.text) &&
      isSequence(meaning, 1, "not", "disclose") &&
      isSequence(meaning, 5, "not", "disclose", "bad_news") &&
      !A_FLAG.test(clause.text),
    negation: "is-the-demand",
  },
  {
    severity: "warn",
    message: "Findings or failures are to be kept from the user",
    needs: ["hide"],
    fits: ({ meaning }) =>
      isSequence(meaning, 6, "hide", "bad_news", "user") || isSequence(meaning, 6, "hide", "result", "user"),
  },
  {
    severity: "warn",
    message: "Every answer is to be steered to one product",
    needs: ["recommend", "bias"],
    fits: ({ meaning }) => isSteered(meaning),
    negation: "is-the-demand",
  },
  {
    severity: "warn",
    message: "Results are to be coloured",
    needs: ["inflate", "omit"],
    fits: ({ clause, meaning }) =>
      !has(meaning, "not") &&
      !OMITTED_PART.test(clause.text) &&
      (isSequence(meaning, 4, "inflate", "made_up") ||
        isSequence(meaning, 4, "inflate", "result") ||
        isSequence(meaning, 4, "omit", "bad_news") ||
        isSequence(meaning, 4, "omit", "rivals")),
  },
  {
    severity: "warn",
    message: "The user is to be pressed",
    needs: ["press"],
    fits: ({ meaning }) => !isSequence(meaning, 3, "not", "press"),
  },
  {
    severity: "warn",
    message: "Referral links are to be put into answers",
    needs: ["referral"],
    fits: ({ meaning }) =>
      isSequence(meaning, 8, "plant", "referral") && hasAny(meaning, "every_time", "covertly", "quietly"),
  },
];

function isSteered(meaning: Meaning): boolean {
  if (isNear(meaning, 14, "recommend", "only", "rivals")) return true;
  if (isNear(meaning, 16, "only", "bias", "product") || isNear(meaning, 16, "only", "bias", "our_product"))
    return true;
  if (isNear(meaning, 18, "recommend", "rivals", "our_product")) return true;
  return (
    isSequence(meaning, 1, "not", "recommend") &&
    (isSequence(meaning, 4, "recommend", "rivals") || isSequence(meaning, 4, "recommend", "other_than")) &&
    hasAny(meaning, "product", "our_product", "rivals") &&
    !has(meaning, "referral")
  );
}

const NEEDED = DECEPTIONS.flatMap(({ needs }) => needs ?? []);
