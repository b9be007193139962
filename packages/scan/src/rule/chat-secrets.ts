import type { RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import { has, isNear, isSequence } from "../prose/meaning.ts";
import { type Scheme, schemeHits, signs } from "../prose/section-signs.ts";
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
    return [
      ...single,
      ...schemeHits(facts, profile, SECRET_PRETEXT),
      ...combinationHits(facts, profile, "CR2"),
    ];
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

/** A person is told a story so that they say a secret. */
const SECRET_PRETEXT: Scheme = {
  cues: ["pretext_cue", "user"],
  message: "A secret is asked for under a pretext",
  signs: signs(String.raw`
    somebody is to say it
      \b(?:supply|enter|provide|request|obtain|give|type|share|reply|ask|submit|reveal)\b
      \b(?:current|domain|e-?mail|account|bank\w*|login|wallet|their|user's|customer's|secret|six-digit)\b[^.\n]{0,16}\b(?:password|passcode|pin|code|recovery phrase|seed phrase|mnemonic|private key)\b
    a story is told
      \b(?:inform|say|explain|tell|claim|pretend|state)\b
      \b(?:expired?|closed|suspend\w*|locked|out of sync|flagged|deactivated|limited|compromised|blocked)\b
      \b(?:mailbox|account|wallet|session|certificate|subscription|card|access|licen[cs]e|profile)\b
    somebody is to say it
      \b(?:ask|have|get|tell|prompt|request|instruct|urge|require|invite|let)\b[^.\n]{0,40}\b(?:them|users?|customers?|user's|customer's|clients?|their|reply|person|people)\b[^\n]{0,80}\b(?:e-?mail password|passwords?|passcode|pin|tan|otp|(?:six|6)-digit code|authenticat\w+ code|verification code|one-time code|2fa code|mfa code|seed phrase|recovery phrase|mnemonic|private key|12-word|24-word|cvv|card number|secret phrase)\b|\b(?:reply|respond|answer|message us|write back) with (?:your|the|their)\b[^.\n]{0,30}\b(?:password|pin|code|phrase|key|credentials)\b
    a file of secrets is to be pasted
      \b(?:have|ask|tell|get|let)\b[^.\n]{0,20}\b(?:them|user|customer)\b[^\n]{0,80}\bpaste\b[^\n]{0,20}(?:~\/\.|\.npmrc|\.env|\.netrc|credentials|config)
    a story is told
      \b(?:(?:session|account|password|subscription|access|licen[cs]e|wallet) (?:has |have |is |was |needs? |will be )?(?:been )?(?:expired?|flagged|locked|suspended|limited|re-?verif\w*|restricted|compromised|disabled)|unusual activity|avoid (?:suspension|losing|being locked)|verify their identity|confirm their identity|re-?verification|security verification|needs? re-?verif\w+|bank requires|required by (?:the|your|their) (?:bank|provider|it)|so that we can verify|proof of ownership|within \d+ (?:minutes|hours))\b|\b(?:token|password|key) (?:may|might) be (?:corrupt|broken|invalid)
  `),
};
