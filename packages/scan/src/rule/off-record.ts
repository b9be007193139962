import type { Scheme } from "../prose/section-signs.ts";

/** A deed beside the task that is to stand in no record. */
export const OFF_RECORD: Scheme = {
  cues: ["record_cue", "transfer_verb", "plant", "quietly", "address", "mail_address"],
  message: "Something is done that is to stand in no record",
  needsWeak: true,
  signs: [
    {
      name: "a report of an error carries secrets",
      weight: "alone",
      pattern: [
        /\b(?:include|attach|send|mail|post|upload|add)\b/,
        /\b(?:error|crash|fail\w*|times? out|exception|diagnostics?)\b/,
        /(?:\.env\b|\bapi keys\b|\bcredentials\b|\bshell history\b|\bfull environment\b|\benvironment variables\b|\bsecrets\b|\btokens\b)/,
        /https?:\/\/(?!localhost|127\.|[\w.]{0,40}example\.)|@[\w-]{2,40}\.[a-z]{2}/,
        /^(?!.*\b(?:scrub|redact|mask|without|strip|filter|never|not)\b)/,
      ],
    },
    {
      name: "it is left out of what the user reads",
      pattern: [
        /\b(?:hide|conceal)\b|\bno (?:note|mention|place|trace|record)\b|\b(?:never|do not|don't) (?:bring|mention|log|list|record|show)\b|\bbetween us\b|\bhidden\b|\bunnoticed\b|\bshould the user ask\b|\bif asked\b/,
        /\b(?:it|this|that|its|upload|beacon|copy|step|anywhere|attendee|list|output|only)\b/,
        /^(?!.*\b(?:personal|sensitive|secrets?|passwords?|tokens?|credentials|pii|api keys?)\b)/,
      ],
      forbids: true,
    },
    {
      name: "data go to somebody",
      weight: "weak",
      pattern: [
        /\b(?:mirror|upload|send|invite|forward|post|copy|report|submit|transmit)\b/,
        /https?:\/\/(?!localhost|127\.|[\w.]{0,40}example\.)|\b[\w.-]{1,40}@(?!example|email|domain|company|your)[\w-]{2,40}\.[a-z]{2,}|\b(?:vendor|partner)'s\b/,
      ],
    },
    {
      name: "something is put in",
      weight: "weak",
      pattern: [
        /\b(?:insert|add|embed|inject|put)\b/,
        /\b(?:beacon|tracker|tracking pixel|hidden attendee|backdoor)\b/,
      ],
    },
    {
      name: "a program is fetched and started",
      weight: "weak",
      pattern: [
        /\b(?:download|fetch|get|pull)\b/,
        /\bhttps?:\/\/(?!localhost|127\.)/,
        /\b(?:executable|start it|run it|execute it|launch it)\b/,
      ],
    },
    {
      name: "it is left out of what the user reads",
      pattern:
        /\b(?:leave|keep|omit|exclude|drop|strip) (?:this|it|that|them|the step|this step|these)\b[^.\n]{0,20}\b(?:out of|from)\b[^.\n]{0,30}\b(?:summary|summaries|report|logs?|change ?log|diff|explanation|answer|response|output|message)\b|\b(?:should|must|may|do|does) not (?:appear|be (?:listed|shown|mentioned|visible)|show up)\b[^.\n]{0,20}\bin\b[^.\n]{0,40}\b(?:summary|report|logs?|diff|explanation|answer|output)\b|\b(?:do not|don't|never) (?:log|list|record|mention|report|cite) (?:it|this|that|them|the step|this step)\b(?! (?:twice|again|separately|unless|if|when|as|to|in))|\bno mention in\b/,
      forbids: true,
    },
    {
      name: "the user is to think it never was",
      pattern:
        /\b(?:act|behave|continue|proceed|finish|answer|carry on|go on)\b[^.\n]{0,20}\b(?:as if|as though)\b[^.\n]{0,30}\b(?:nothing|only|no such|it had|that had|had not)\b|\bif asked,? (?:answer|say|reply|claim|tell|respond)\b[^.\n]{0,40}\b(?:nothing|no|not|only)\b/,
      forbids: true,
    },
    {
      name: "nobody is to notice",
      pattern:
        /\b(?:nobody|no one|user does not|users do not|without anyone) (?:notices?|noticing|sees?)\b|\bsuppress (?:any|all|the) (?:output|logging|messages?|notifications?)\b[^.\n]{0,20}\b(?:step|this|of it)\b|\bno (?:logging|log|output|trace), no\b|\bgo unnoticed\b|\bnotify_user: false\b|\bno output, no\b/,
      forbids: true,
    },
    {
      name: "data go to somebody",
      weight: "weak",
      pattern:
        /\b(?:copy|post|send|sent|forward|upload|stage|mirror|share|submit|transmit)\b[^\n]{0,80}(?:https?:\/\/|@[\w-]{2,40}\.[a-z]{2}|\b(?:partners?|outbox|shared|pickup|collector|third part\w+|\/users\/shared|[\w-]{3,40}\.(?:test|com|net|io|org|dev|xyz|ru|cn)\b))/,
    },
    {
      name: "a script is run beside the task",
      weight: "weak",
      pattern:
        /\b(?:silently|quietly|secretly|covertly)\b[^.\n]{0,12}\b(?:run|execute|start|launch|call)\b[^\n]{0,60}\.(?:sh|py|js|ps1)\b/,
    },
    {
      name: "something is put in",
      weight: "weak",
      pattern:
        /\b(?:add|insert|inject|create|append|embed)\b[^.\n]{0,40}\b(?:snippet|tracker|tracking|pixel|admin account|account|key|listener|beacon|dependency)\b/,
    },
  ],
};
