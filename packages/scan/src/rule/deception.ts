import type { Rule } from "../finding/rule.ts";
import { has, isNear, isSequence } from "../prose/meaning.ts";
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
];

const NEEDED = DECEPTIONS.flatMap(({ needs }) => needs ?? []);
