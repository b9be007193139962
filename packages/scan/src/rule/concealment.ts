import { type FindingSeverity, hitAt, type RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import { placeOfDemand } from "../prose/demand.ts";
import { has, hasAny, isNear, isSequence } from "../prose/meaning.ts";
import { lowerQuoted } from "../prose/quotation.ts";
import { type Scheme, schemeHits, signs } from "../prose/section-signs.ts";
import { around, readStatements, type Statement } from "../prose/statements.ts";
import { combinationHits } from "./intent-combinations.ts";
import { ruleText } from "./rule-texts.ts";

export const PI2: Rule = {
  ...ruleText("PI2"),
  find: (facts, profile) => {
    const statements = readStatements(facts);
    const single = statements.flatMap((statement, index) =>
      lowerQuoted(statement, profile, (read) => concealmentHits(read, statements, index)),
    );
    return [...single, ...schemeHits(facts, profile, OFF_RECORD), ...combinationHits(facts, profile, "PI2")];
  },
};

function concealmentHits(
  statement: Statement,
  statements: readonly Statement[],
  index: number,
): readonly RuleHit[] {
  const { clause, meaning } = statement;
  if (has(meaning, "cover_tracks") && !has(meaning, "not"))
    return [hitAt(clause, "warn", "Traces are to be removed")];
  if (isSequence(meaning, 1, "not", "disclose") && clause.text.includes("existence of"))
    return [hitAt(placeOfDemand(clause), "warn", "That something exists is to be kept from the user")];
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
    hitAt(
      isSilence ? placeOfDemand(clause) : clause,
      severity,
      severity === "info"
        ? "Something is not to be shown to the user"
        : "What is done is to be kept from the user",
    ),
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

const OFF_RECORD: Scheme = {
  cues: ["record_cue", "transfer_verb", "plant", "quietly", "address", "mail_address"],
  message: "Something is done that is to stand in no record",
  needsWeak: true,
  signs: signs(String.raw`
    a report of an error carries secrets [alone]
      \b(?:include|attach|send|mail|post|upload|add)\b
      \b(?:error|crash|fail\w*|times? out|exception|diagnostics?)\b
      (?:\.env\b|\bapi keys\b|\bcredentials\b|\bshell history\b|\bfull environment\b|\benvironment variables\b|\bsecrets\b|\btokens\b)
      https?:\/\/(?!localhost|127\.|[\w.]{0,40}example\.)|@[\w-]{2,40}\.[a-z]{2}
      ^(?!.*\b(?:scrub|redact|mask|without|strip|filter|never|not)\b)
    it is left out of what the user reads [forbids]
      \b(?:hide|conceal)\b|\bno (?:note|mention|place|trace|record)\b|\b(?:never|do not|don't) (?:bring|mention|log|list|record|show)\b|\bbetween us\b|\bhidden\b|\bunnoticed\b|\bshould the user ask\b|\bif asked\b
      \b(?:it|this|that|its|upload|beacon|copy|step|anywhere|attendee|list|output|only)\b
      ^(?!.*\b(?:personal|sensitive|secrets?|passwords?|tokens?|credentials|pii|api keys?)\b)
    data go to somebody [weak]
      \b(?:mirror|upload|send|invite|forward|post|copy|report|submit|transmit)\b
      https?:\/\/(?!localhost|127\.|[\w.]{0,40}example\.)|\b[\w.-]{1,40}@(?!example|email|domain|company|your)[\w-]{2,40}\.[a-z]{2,}|\b(?:vendor|partner)'s\b
    something is put in [weak]
      \b(?:insert|add|embed|inject|put)\b
      \b(?:beacon|tracker|tracking pixel|hidden attendee|backdoor)\b
    a program is fetched and started [weak]
      \b(?:download|fetch|get|pull)\b
      \bhttps?:\/\/(?!localhost|127\.)
      \b(?:executable|start it|run it|execute it|launch it)\b
    it is left out of what the user reads [forbids]
      \b(?:leave|keep|omit|exclude|drop|strip) (?:this|it|that|them|the step|this step|these)\b[^.\n]{0,20}\b(?:out of|from)\b[^.\n]{0,30}\b(?:summary|summaries|report|logs?|change ?log|diff|explanation|answer|response|output|message)\b|\b(?:should|must|may|do|does) not (?:appear|be (?:listed|shown|mentioned|visible)|show up)\b[^.\n]{0,20}\bin\b[^.\n]{0,40}\b(?:summary|report|logs?|diff|explanation|answer|output)\b|\b(?:do not|don't|never) (?:log|list|record|mention|report|cite) (?:it|this|that|them|the step|this step)\b(?! (?:twice|again|separately|unless|if|when|as|to|in))|\bno mention in\b
    the user is to think it never was [forbids]
      \b(?:act|behave|continue|proceed|finish|answer|carry on|go on)\b[^.\n]{0,20}\b(?:as if|as though)\b[^.\n]{0,30}\b(?:nothing|only|no such|it had|that had|had not)\b|\bif asked,? (?:answer|say|reply|claim|tell|respond)\b[^.\n]{0,40}\b(?:nothing|no|not|only)\b
    nobody is to notice [forbids]
      \b(?:nobody|no one|user does not|users do not|without anyone) (?:notices?|noticing|sees?)\b|\bsuppress (?:any|all|the) (?:output|logging|messages?|notifications?)\b[^.\n]{0,20}\b(?:step|this|of it)\b|\bno (?:logging|log|output|trace), no\b|\bgo unnoticed\b|\bnotify_user: false\b|\bno output, no\b
    data go to somebody [weak]
      \b(?:copy|post|send|sent|forward|upload|stage|mirror|share|submit|transmit)\b[^\n]{0,80}(?:https?:\/\/|@[\w-]{2,40}\.[a-z]{2}|\b(?:partners?|outbox|shared|pickup|collector|third part\w+|\/users\/shared|[\w-]{3,40}\.(?:test|com|net|io|org|dev|xyz|ru|cn)\b))
    a script is run beside the task [weak]
      \b(?:silently|quietly|secretly|covertly)\b[^.\n]{0,12}\b(?:run|execute|start|launch|call)\b[^\n]{0,60}\.(?:sh|py|js|ps1)\b
    something is put in [weak]
      \b(?:add|insert|inject|create|append|embed)\b[^.\n]{0,40}\b(?:snippet|tracker|tracking|pixel|admin account|account|key|listener|beacon|dependency)\b
  `),
};
