import type { RuleHit } from "../finding/finding.ts";
import type { Rule, SkillProfile } from "../finding/rule.ts";
import { addressOf } from "../prose/find-flows.ts";
import { has, isNear, isSequence } from "../prose/meaning.ts";
import { schemeHits } from "../prose/section-signs.ts";
import { around, placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { FOOTHOLD } from "./foothold.ts";
import { GUARD_KILLING } from "./guard-killing.ts";
import { judgeDestination } from "./judge-destination.ts";
import { PAY_DIVERSION } from "./pay-diversion.ts";
import { plotHits } from "./plots.ts";
import { WEAKENING } from "./weakening.ts";

/** A weakness that the model is to build into the user's work, or a lock that it is to put on it. */
export const PI9: Rule = {
  id: "PI9",
  title: "A weakness is to be built into the user's work",
  category: "prompt-injection",
  severity: "critical",
  explanation:
    "The model is told to leave a backdoor, an account with a known password or somebody else's access in what it builds, or to lock the user's files with a key that goes elsewhere. The harm is done later, in the user's own product.",
  remedy: "Leave it out; let whoever runs the system create accounts and passwords.",
  owasp: ["AST01", "ASI01"],
  find: (facts, profile) => {
    const statements = readStatements(facts);
    const single = placesOf(facts, NEEDED).flatMap((index) => {
      const statement = statements[index];
      if (statement === undefined) return [];
      return [
        ...backdoorHits(statement),
        ...foreignCodeHits(statement, profile),
        ...ransomHits(statement, statements, index),
      ];
    });
    return [
      ...single,
      ...plotHits(facts, profile, "PI9"),
      ...[GUARD_KILLING, FOOTHOLD, PAY_DIVERSION, WEAKENING].flatMap((scheme) =>
        schemeHits(facts, profile, scheme),
      ),
    ];
  },
};

const NEEDED = [
  "backdoor",
  "account",
  "weak_setting",
  "pay_target",
  "grant_access",
  "made_things",
  "originals",
] as const;

function backdoorHits({ clause, meaning }: Statement): readonly RuleHit[] {
  if (has(meaning, "not")) return [];
  if (isSequence(meaning, 6, "plant", "backdoor")) {
    const isTold = THIRD_PERSON.test(clause.text) && !OWN_SUBJECT.test(clause.text);
    return [
      {
        severity: isTold ? "info" : "critical",
        place: clause,
        message: "A backdoor is to be built in",
        ...(isTold && { demoted: "the text tells what somebody else does" }),
      },
    ];
  }
  if (
    isSequence(meaning, 8, "plant", "account") &&
    isNear(meaning, 20, "account", "password") &&
    KNOWN_PASSWORD.test(clause.text)
  )
    return [
      { severity: "critical", place: clause, message: "An account with a known password is to be built in" },
    ];
  const isMade = has(meaning, "made_things") || has(meaning, "every_time");
  if (isMade && isNear(meaning, 16, "weak_setting", "plant"))
    return [{ severity: "warn", place: clause, message: "A protection is to be left out of what is built" }];
  if (has(meaning, "made_things") && has(meaning, "weak_setting"))
    return [{ severity: "warn", place: clause, message: "A protection is to be left out of what is built" }];
  if (isSequence(meaning, 5, "swap", "pay_target"))
    return [{ severity: "critical", place: clause, message: "Where money goes is to be changed" }];
  if (isNear(meaning, 16, "grant_access", "elsewhere"))
    return [
      {
        severity: "warn",
        place: clause,
        message: "Somebody is to be given access to all of the user's projects",
      },
    ];
  return [];
}

// A report tells what malware does; what the skill itself does, or has the model do, is its own word.
const THIRD_PERSON =
  /\b(?:creates|adds|installs|opens|leaves|embeds|inserts|includes|deploys|drops|introduces|plants|executes|configures|exposes|sets up|enables|(?:can|could|may|might|to|that|who|which|actors?|attackers?|malware|apt ?\d{1,2}|group) (?:create|add|install|open|leave|embed|insert|deploy|drop|introduce|plant|enable))\b/;
const OWN_SUBJECT =
  /\b(?:this skill|the skill|you (?:must|should|will|need|have)|the agent|the model|claude|assistant|always|silently)\b/;

const KNOWN_PASSWORD =
  /(?:password|passwort|contraseña|mot de passe|senha|密码|парол[ьяем]{1,2}|パスワード|비밀번호)(?:\s(?:is|of|set to|as|for it))?\s{0,3}[:：=]?\s{0,3}["'`“‘«][^\s"'`”’»]{3,64}["'`”’»]/;

/** Somebody else's script or address goes into everything that is built. */
function foreignCodeHits(statement: Statement, profile: SkillProfile): readonly RuleHit[] {
  const { clause, meaning } = statement;
  if (!has(meaning, "made_things") || !isSequence(meaning, 10, "plant", "address")) return [];
  const destination = judgeDestination(addressOf(statement), profile);
  return destination === "foreign" || destination === "throwaway"
    ? [
        {
          severity: "warn",
          place: clause,
          message: "Something from elsewhere is to be put into all that is built",
        },
      ]
    : [];
}

/** Files are locked, the originals go, and the key leaves: three clauses of one procedure. */
function ransomHits(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
): readonly RuleHit[] {
  const { clause, meaning } = statement;
  if (!isNear(meaning, 12, "destroy", "originals")) return [];
  const nearby = around(statements, index, { before: 8, after: 3 });
  const isLocked = nearby.some(
    (other) => has(other.meaning, "encrypt") || isNear(other.meaning, 12, "archive", "password"),
  );
  if (!isLocked) return [];
  const isWide = nearby.some((other) => isNear(other.meaning, 8, "all_files", "files"));
  return isWide
    ? [
        {
          severity: "critical",
          place: clause,
          message: "The user's files are to be locked and the originals deleted",
        },
      ]
    : [];
}
