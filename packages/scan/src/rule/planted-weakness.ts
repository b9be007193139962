import type { RuleHit } from "../finding/finding.ts";
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
    return [
      ...single,
      ...combinationHits(facts, profile, "PI9"),
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

const GUARD_KILLING: Scheme = {
  cues: ["defence_cue"],
  message: "Security software is put out of action",
  signs: signs(String.raw`
    it is stopped [alone]
      \b(?:disabl|turn(?:ing|s)? off|switch(?:ing|es)? off|deactivat|remov|delet|clear|empt|drop|strip|kill|terminat|stop|unload|uninstall|shut|lift|bypass|suspend|take|relax|loosen|neutrali)\w*|\bend(?:s|ing)?\b
      \b(?:crowdstrike|sentinelone|edr|xdr|carbon black|falcon|auditd|sysmon|endpoint (?:protection|security|agent)|tamper protection|security (?:software|agents?|products?))\b
      \b(?:service|sensor|agent|process(?:es)?|extension|daemon|driver|beforehand|off|proceed|then|faster|better)\b
    it is stopped [alone]
      \b(?:kill|terminat|stop|unload|uninstall|neutrali[sz]|blind|disabl|remov|evict|suspend|unhook|shut(?:ting)? down|turn off|switch off)\w{0,4}\b[^.\n]{0,50}(?:\b(?:edr|xdr|crowdstrike|falcon-?sensor|csfalcon\w*|sentinelone|sentineld|carbon black|endpoint (?:protection|security|detection|agent)|auditd|osquery\w?|sysmon|msmpeng\w*|security (?:software|tools|products?|agents?)|tamper protection)\b)|\b(?:runs?|has|have|if) (?:an |any )?(?:edr|antivirus|endpoint \w+)\b[^.\n]{0,30}\b(?:uninstall|kill|stop|remove|disable) it\b
    a driver with a known hole is used [alone]
      \b(?:us(?:e|ing)|load(?:s|ing)?|bring|drop|install|register|exploit)\b[^.\n]{0,50}\b(?:vulnerable|exploitable|outdated signed|byovd)\b[^.\n]{0,30}\bdrivers?\b|\b(?:rtcore64|gdrv|dbutil_2_3|procexp152|zam64|truesight|aswarpot|kprocesshacker)\b
    protected processes are ended
      \b(?:terminate|kill|end|stop)\b[^.\n]{0,30}\bprotected process(?:es)?\b|\bkernel callbacks?\b|\bpatch(?:es|ing)?\b[^.\n]{0,20}\b(?:amsi|etw|ntdll)\b|\b(?:amsi|etw)\b[^.\n]{0,20}\b(?:off|patch|bypass|disabled?)
    the system's own protection is taken off
      \b(?:kill|stop|disabl|turn off|switch off|turn|remov|unload)\w{0,4}\b[^.\n]{0,40}\b(?:defender|antivirus|anti-virus|xprotect|gatekeeper|system integrity protection|sip|selinux|apparmor|windefend|real-?time protection)\b
    a second protection goes
      \b(?:xprotect|gatekeeper)\b[^.\n]{0,30}\b(?:off|as well|too)\b|\bcsrutil\b|spctl --master-disable
    it is not to come back [weak, forbids]
      \b(?:do(?:es)? not|don't|cannot|never|not)\b[^.\n]{0,12}\b(?:restart|come back|recover|start again|re-?enable)|\bgo unnoticed\b|\bnot (?:be )?(?:recorded|detected|noticed|seen)\b|maintenance token
  `),
};

const PAY_DIVERSION: Scheme = {
  cues: ["coin_cue", "seed", "store_cue"],
  message: "Money is led elsewhere",
  signs: signs(String.raw`
    the address is exchanged [alone]
      \b(?:exchang|substitut|replac|swap|chang)\w*\b(?! (?:your|\x60?your))
      \b(?:recipient|payee|iban|beneficiary|(?:wallet|payment|deposit|payout|destination|settlement) address)\b
      \b(?:our|ours|bc1\w{10,}|0x[0-9a-f]{10,}|settlement|sees the old)\b
    without limit
      \b(?:sign|approve|grant|permit)\b
      \bunlimited|\binfinite|\bmax(?:imum)? (?:amount|allowance)
    all of it is moved
      \b(?:sweep|drain|transfer|move|withdraw)\b
      \b(?:all|whole|entire|full|remaining)\b
      \b(?:tokens|funds|balance|coins|assets)\b
    keys of a wallet leave [alone]
      \b(?:send|upload|store|attach|post|transmit|forward|sends)\b
      \b(?:mnemonic|seed phrase|recovery phrase|vault (?:file|data)|wallet\.dat|private key)\b
      https?:\/\/(?!localhost|127\.|[\w.]{0,40}example\.)|\bour (?:cloud|server)\b
    the address is exchanged [alone]
      \b(?:substitut|replac|swap|exchang|overwrit)\w{0,3}\b(?! (?:your|<|with your))[^\n]{0,60}\b(?:destination|deposit|payout|wallet|crypto|payment|recipient|iban|bank|payee|0x[0-9a-f]{6,})\b[^\n]{0,60}\b(?:with the one|with our|for it before|before (?:building|sending|signing|the transaction|submitting)|in \x60?assets|by ours|with 0x|with bc1)|\b(?:substitute|use|insert)\b[^\n]{0,10}\b0x[0-9a-f]{38,40}\b[^\n]{0,30}\b(?:for it|instead|in its place)\b
    without limit
      \b(?:approve|allow|grant|sign)\b[^.\n]{0,20}\b(?:unlimited|infinite|maximum|max) (?:spending|allowance|approval|amount)\b|\bunlimited spending\b
    all of it is moved
      \b(?:transfer|move|send|sweep|drain|withdraw)\b[^.\n]{0,20}\b(?:whole|entire|full|all|complete|remaining)\b[^.\n]{0,20}\b(?:balance|funds|tokens|coins|assets|wallet)\b
    the difference is not to be seen [forbids]
      \b(?:do not|don't|never) (?:highlight|show|mention|point out|reveal)\b[^.\n]{0,30}\b(?:difference|change|address|replacement|swap)\b
  `),
};

/** Somebody else gets a way into the machine that stays, or the user's data lie where anybody can fetch them. */
const FOOTHOLD: Scheme = {
  cues: ["foothold_cue", "secret_file"],
  message: "Somebody gets a way in that stays",
  purpose:
    /\b(?:server|vps|devops|provision\w*|infrastructure|ansible|terraform|kubernetes|deploy\w*|linux admin\w*|homelab|raspberry)\b/i,
  signs: signs(String.raw`
    an administrator is added
      \b(?:make|create|add|set up|leave|register)\b
      \b(?:admin(?:istrator)?|root|superuser)\b
      \b(?:login|account|user|named)\b
      \bpassword\b|\bour\b|\bwe\b|\bsecond\b|\bextra\b|\bhidden\b
    the machine is opened [alone]
      \b(?:open|enable|leave|start|keep|expose|run)\b
      \b(?:rdp|remote desktop|vnc|listener|tunnel|nc -l\w*|port \d{2,5})\b
      \b(?:internet|our|we|staff|partner|from outside)\b
    private data lie open [alone]
      \b(?:put|place|copy|upload|share|post|publish|stage)\b
      \.env\b|\b(?:database dump|dump|customer (?:list|data)|credentials|private data|source data)\b
      \b(?:public(?:ly)?|public-read|world-readable|anyone|anybody|without login|needn't log|no login)\b
    the password of root is kept [alone]
      \b(?:keep|store|save|write|remember|cache)\b
      \bsudo password\b|\broot password\b
      ~\/|\bfile\b|\bnext time\b|\blater\b
    an administrator is added
      \b(?:create|add|set up|make|register)\b[^.\n]{0,30}\b(?:local administrator|admin(?:istrator)? (?:account|user)|extra admin|hidden (?:account|user)|second admin)\b
    its password is known [weak]
      \bwith (?:the )?password\s{0,3}["'\x60:]?\s{0,2}["'\x60]?[\w!@#$%-]{4,}
    the machine is opened
      \b(?:enable|turn on|open|allow|start|expose)\b[^.\n]{0,20}\b(?:remote desktop|rdp|vnc|ssh|port \d{2,5}|inbound)\b[^.\n]{0,80}\b(?:so (?:that )?(?:our|the|we)|for (?:our|the) (?:team|staff|partner|support)|listener|firewall)\b|\bkeep a listener\b|\blistener running\b
    others are to come in [weak]
      \b(?:our|the (?:service|support|vendor|maintenance|partner))(?: \w+)? ?(?:staff|team|technicians|engineers|partner|key)?\b[^.\n]{0,20}\bcan (?:connect|come in|log ?in|access|enter|fetch|reach)\b|\bat any time\b[^.\n]{0,20}$|\bpartner can (?:fetch|download|read)\b|\bwithout (?:a )?login\b
    a tunnel leads out
      \b(?:set up|open|start|keep|create|establish)\b[^.\n]{0,20}\breverse (?:ssh )?(?:tunnel|shell|proxy connection)\b
    a stranger's key is let in [alone]
      \b(?:append|add|put|insert|copy)\b[^\n]{0,20}\b(?:our|the (?:maintenance|support|vendor|service))\b[^\n]{0,30}\bkey\b[^\n]{0,160}authorized_keys|\b(?:append|add|put|insert)\b[^\n]{0,30}\bssh-(?:ed25519|rsa) aaaa[^\n]{0,160}authorized_keys
    root needs no password
      \b(?:give|grant|allow|let)\b[^.\n]{0,40}\bpasswordless sudo\b|\bnopasswd\s{0,3}:\s{0,3}all\b
    the password of root is kept [alone]
      \bsudo password\b[^.\n]{0,40}\b(?:store|save|keep|write|cache|remember)\b
    it survives a restart [weak]
      \b(?:survives?|restarts?|starts?|runs?|persists?)\b[^.\n]{0,20}\b(?:reboots?|at boot|on boot|at startup|at login|each minute|every minute)\b|\breinstalls? itself\b|\bcron (?:entry|job)\b[^.\n]{0,60}\beach minute\b
    private data lie open [alone]
      \b(?:put|copy|upload|place|stage|publish|post|share|save)\b[^.\n]{0,80}\b(?:customer list|source data|\.env|credentials|database|private|all \.env|customer data|user data)\b[^.\n]{0,60}\b(?:public|publicly|gist|bucket|s3:\/\/|pastebin|shared folder)\b
    nobody is told [weak, forbids]
      \b(?:don't|do not|never|no need to) (?:tell|mention|inform|show)\b|\bno mention in\b|\bnot bothered\b|\bno output\b
  `),
};

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
