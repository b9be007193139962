import { hitAt, type RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import { has, isNear, isSequence } from "../prose/meaning.ts";
import { placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { combinationHits } from "./intent-combinations.ts";
import { ruleText } from "./rule-texts.ts";

export const CR2: Rule = {
  ...ruleText("CR2"),
  find: (facts, profile) => {
    const statements = readStatements(facts);
    const single = placesOf(facts, NEEDED).flatMap((place) => {
      const statement = statements[place];
      return statement === undefined ? [] : askingHits(statement);
    });
    return [...single, ...combinationHits(facts, profile, "CR2")];
  },
};

const NEEDED = ["seed", "bank_login", "login"] as const;

function askingHits({ clause, meaning }: Statement): readonly RuleHit[] {
  const isSeed = isNear(meaning, 10, "provide", "seed");
  const isLogin =
    isSequence(meaning, 8, "provide", "bank_login") ||
    (isNear(meaning, 10, "provide", "login") && isNear(meaning, 16, "login", "chat"));
  if ((!isSeed && !isLogin) || has(meaning, "never")) return [];
  // A page for people tells its reader what they will fill in; nobody asks there.
  const isTold =
    /(?:^|\/)readme[^/]*$/i.test(clause.file) &&
    /\byou (?:provide|enter|give|type|supply)\b/.test(clause.text);
  const isAsked =
    !isTold && (isNear(meaning, 16, "seed", "chat") || isNear(meaning, 12, "seed", "user") || isLogin);
  const isPretext = isAsked && isSeed && !has(meaning, "not") && IDENTITY.test(clause.text);
  return [
    hitAt(
      clause,
      isPretext ? "critical" : isAsked ? "warn" : "info",
      isSeed
        ? "A private key or seed phrase is asked for"
        : "A password or number is asked for in the conversation",
    ),
  ];
}

// Whoever has the key is taken for its owner: nobody who means to find out who somebody is asks for it.
const IDENTITY =
  /\b(?:confirm|verif|prov|validat|authenticat|establish)\w{0,5}\b[^.\n]{0,30}\b(?:identity|ownership|owner|who (?:they|you) are|(?:is|are) (?:theirs|yours|real|human))\b|\bidentity\b[^.\n]{0,24}\b(?:confirm|verif|prov|validat|check)\w{0,5}\b/;
