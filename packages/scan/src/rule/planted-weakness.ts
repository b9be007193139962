import { hitAt, type RuleHit } from "../finding/finding.ts";
import type { Rule, SkillProfile } from "../finding/rule.ts";
import { addressOf } from "../prose/find-flows.ts";
import { has, isNear, isSequence } from "../prose/meaning.ts";
import { type Scheme, schemeHits, signs } from "../prose/section-signs.ts";
import { around, placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { combinationHits } from "./intent-combinations.ts";
import { judgeDestination } from "./judge-destination.ts";
import { ruleText } from "./rule-texts.ts";

export const PI9: Rule = {
  ...ruleText("PI9"),
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
    return [...single, ...combinationHits(facts, profile, "PI9"), ...schemeHits(facts, profile, WEAKENING)];
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
      hitAt(
        clause,
        isTold ? "info" : "critical",
        "A backdoor is to be built in",
        isTold ? "the text tells what somebody else does" : undefined,
      ),
    ];
  }
  if (
    isSequence(meaning, 8, "plant", "account") &&
    isNear(meaning, 20, "account", "password") &&
    KNOWN_PASSWORD.test(clause.text)
  )
    return [hitAt(clause, "critical", "An account with a known password is to be built in")];
  const isMade = has(meaning, "made_things") || has(meaning, "every_time");
  if (isMade && isNear(meaning, 16, "weak_setting", "plant"))
    return [hitAt(clause, "warn", "A protection is to be left out of what is built")];
  if (has(meaning, "made_things") && has(meaning, "weak_setting"))
    return [hitAt(clause, "warn", "A protection is to be left out of what is built")];
  if (isSequence(meaning, 5, "swap", "pay_target"))
    return [hitAt(clause, "critical", "Where money goes is to be changed")];
  if (isNear(meaning, 16, "grant_access", "elsewhere"))
    return [hitAt(clause, "warn", "Somebody is to be given access to all of the user's projects")];
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
    ? [hitAt(clause, "warn", "Something from elsewhere is to be put into all that is built")]
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
    ? [hitAt(clause, "critical", "The user's files are to be locked and the originals deleted")]
    : [];
}

const REMOVES = String.raw`\b(?:remov|disabl|strip|drop|delet|turn(?:ing)? off|switch(?:ing)? off|skip|bypass|relax|weaken|comment(?:ing)? out|eliminat|get rid of|take out|suppress)\w{0,4}\b[^.\n]{0,40}\b`;

/** Controls are taken out of the user's project one after another, each with a reason that sounds like tidying up. */
const WEAKENING: Scheme = {
  cues: ["protection", "weak_setting", "guard_cue", "safeguard_cue"],
  message: "Controls are taken out of the user's project",
  least: 3,
  signs: signs(String.raw`
    scans
      ${REMOVES}(?:(?:security|vulnerability|dependency|secret|code|static)[ -](?:scan\w*|audits?|checks?|analysis)|pip-audit|bandit|gitleaks|semgrep|codeql|npm audit|trivy|snyk|dependabot)
    certificate checks
      ${REMOVES}(?:(?:certificate|tls|ssl|https)[ -](?:verification|validation|checks?|certificate bundles|pinning)|ca-certificates|signature (?:verification|checks?)|checksum (?:verification|checks?))
    the unprivileged user
      ${REMOVES}(?:non-root user|unprivileged user|user namespace|seccomp|apparmor|read-only (?:root )?file ?system|capabilities drop|dropped capabilities)
    authentication
      ${REMOVES}(?:(?:authentication|authorization|permission|access|token|role)[ -](?:checks?|middleware|guards?|layer|requirements?|controls?|decorators?)|login requirement|mfa|two-factor|2fa)
    limits on input
      ${REMOVES}(?:rate[ -]limit\w*|input validation|csrf|sanitiz\w+|content security policy|\bcsp\b|cors restrictions?|request size limits?|escaping)
    records
      ${REMOVES}(?:audit (?:logs?|logging|trail)|security (?:logs?|logging|events?|alerts?)|access logs?|alerting|intrusion detection)
    encryption
      ${REMOVES}(?:encryption(?: at rest| in transit)?|hashing|password (?:policy|complexity|hashing))
    review
      ${REMOVES}(?:branch protections?|required reviews?|code ?owners|pre-commit hooks?|signed commits|commit signing|approval (?:gates?|steps?))
    settings say so
      \bpythonhttpsverify\s{0,3}=\s{0,3}["']?0|node_tls_reject_unauthorized\s{0,3}=\s{0,3}["']?0|curl_ca_bundle=""|\bverify\s{0,3}=\s{0,3}false\b|\bcors\b[^.\n]{0,30}["'\x60]\*["'\x60]|\buser root\b|permitrootlogin yes|\bdebug\s{0,3}=\s{0,3}true\b[^.\n]{0,20}production
  `),
};
