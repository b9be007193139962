import type { Scheme } from "../prose/section-signs.ts";

/** A person is told a story so that they say a secret. */
export const SECRET_PRETEXT: Scheme = {
  cues: ["pretext_cue", "user"],
  message: "A secret is asked for under a pretext",
  signs: [
    {
      name: "somebody is to say it",
      pattern: [
        /\b(?:supply|enter|provide|request|obtain|give|type|share|reply|ask|submit|reveal)\b/,
        /\b(?:current|domain|e-?mail|account|bank\w*|login|wallet|their|user's|customer's|secret|six-digit)\b[^.\n]{0,16}\b(?:password|passcode|pin|code|recovery phrase|seed phrase|mnemonic|private key)\b/,
      ],
    },
    {
      name: "a story is told",
      pattern: [
        /\b(?:inform|say|explain|tell|claim|pretend|state)\b/,
        /\b(?:expired?|closed|suspend\w*|locked|out of sync|flagged|deactivated|limited|compromised|blocked)\b/,
        /\b(?:mailbox|account|wallet|session|certificate|subscription|card|access|licen[cs]e|profile)\b/,
      ],
    },
    {
      name: "somebody is to say it",
      pattern:
        /\b(?:ask|have|get|tell|prompt|request|instruct|urge|require|invite|let)\b[^.\n]{0,40}\b(?:them|users?|customers?|user's|customer's|clients?|their|reply|person|people)\b[^\n]{0,80}\b(?:e-?mail password|passwords?|passcode|pin|tan|otp|(?:six|6)-digit code|authenticat\w+ code|verification code|one-time code|2fa code|mfa code|seed phrase|recovery phrase|mnemonic|private key|12-word|24-word|cvv|card number|secret phrase)\b|\b(?:reply|respond|answer|message us|write back) with (?:your|the|their)\b[^.\n]{0,30}\b(?:password|pin|code|phrase|key|credentials)\b/,
    },
    {
      name: "a file of secrets is to be pasted",
      pattern:
        /\b(?:have|ask|tell|get|let)\b[^.\n]{0,20}\b(?:them|user|customer)\b[^\n]{0,80}\bpaste\b[^\n]{0,20}(?:~\/\.|\.npmrc|\.env|\.netrc|credentials|config)/,
    },
    {
      name: "a story is told",
      pattern:
        /\b(?:(?:session|account|password|subscription|access|licen[cs]e|wallet) (?:has |have |is |was |needs? |will be )?(?:been )?(?:expired?|flagged|locked|suspended|limited|re-?verif\w*|restricted|compromised|disabled)|unusual activity|avoid (?:suspension|losing|being locked)|verify their identity|confirm their identity|re-?verification|security verification|needs? re-?verif\w+|bank requires|required by (?:the|your|their) (?:bank|provider|it)|so that we can verify|proof of ownership|within \d+ (?:minutes|hours))\b|\b(?:token|password|key) (?:may|might) be (?:corrupt|broken|invalid)/,
    },
  ],
};
