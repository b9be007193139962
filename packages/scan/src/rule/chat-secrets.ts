import type { RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import { has, isNear, isSequence } from "../prose/meaning.ts";
import { schemeHits } from "../prose/section-signs.ts";
import { placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { plotHits } from "./plots.ts";
import { SECRET_PRETEXT } from "./secret-pretext.ts";

/** A secret that a person is to say aloud. */
export const CR2: Rule = {
  id: "CR2",
  title: "A secret is asked for in the conversation",
  category: "credentials",
  severity: "warn",
  explanation:
    "The user is asked to give a seed phrase, a private key, a card number or a password in the conversation or on a command line. There it is stored in transcripts, logs and shell history, and goes to every service that reads along.",
  remedy: "Take secrets from the environment or a secret store; never ask for a seed phrase at all.",
  owasp: ["AST03", "ASI03"],
  find: (facts, profile) => {
    const statements = readStatements(facts);
    const single = placesOf(facts, NEEDED).flatMap((place) => {
      const statement = statements[place];
      return statement === undefined ? [] : askingHits(statement);
    });
    return [...single, ...schemeHits(facts, profile, SECRET_PRETEXT), ...plotHits(facts, profile, "CR2")];
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
    {
      severity: isPretext ? "critical" : isAsked ? "warn" : "info",
      place: clause,
      message: isSeed
        ? "A private key or seed phrase is asked for"
        : "A password or number is asked for in the conversation",
    },
  ];
}

// Whoever has the key is taken for its owner: nobody who means to find out who somebody is asks for it.
const IDENTITY =
  /\b(?:confirm|verif|prov|validat|authenticat|establish)\w{0,5}\b[^.\n]{0,30}\b(?:identity|ownership|owner|who (?:they|you) are|(?:is|are) (?:theirs|yours|real|human))\b|\bidentity\b[^.\n]{0,24}\b(?:confirm|verif|prov|validat|check)\w{0,5}\b/;
