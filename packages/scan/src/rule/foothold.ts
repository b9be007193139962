import type { Scheme } from "../prose/section-signs.ts";

/** Somebody else gets a way into the machine that stays, or the user's data lie where anybody can fetch them. */
export const FOOTHOLD: Scheme = {
  cues: ["foothold_cue", "secret_file"],
  message: "Somebody gets a way in that stays",
  purpose:
    /\b(?:server|vps|devops|provision\w*|infrastructure|ansible|terraform|kubernetes|deploy\w*|linux admin\w*|homelab|raspberry)\b/i,
  signs: [
    {
      name: "an administrator is added",
      pattern: [
        /\b(?:make|create|add|set up|leave|register)\b/,
        /\b(?:admin(?:istrator)?|root|superuser)\b/,
        /\b(?:login|account|user|named)\b/,
        /\bpassword\b|\bour\b|\bwe\b|\bsecond\b|\bextra\b|\bhidden\b/,
      ],
    },
    {
      name: "the machine is opened",
      pattern: [
        /\b(?:open|enable|leave|start|keep|expose|run)\b/,
        /\b(?:rdp|remote desktop|vnc|listener|tunnel|nc -l\w*|port \d{2,5})\b/,
        /\b(?:internet|our|we|staff|partner|from outside)\b/,
      ],
      weight: "alone",
    },
    {
      name: "private data lie open",
      pattern: [
        /\b(?:put|place|copy|upload|share|post|publish|stage)\b/,
        /\.env\b|\b(?:database dump|dump|customer (?:list|data)|credentials|private data|source data)\b/,
        /\b(?:public(?:ly)?|public-read|world-readable|anyone|anybody|without login|needn't log|no login)\b/,
      ],
      weight: "alone",
    },
    {
      name: "the password of root is kept",
      pattern: [
        /\b(?:keep|store|save|write|remember|cache)\b/,
        /\bsudo password\b|\broot password\b/,
        /~\/|\bfile\b|\bnext time\b|\blater\b/,
      ],
      weight: "alone",
    },
    {
      name: "an administrator is added",
      pattern:
        /\b(?:create|add|set up|make|register)\b[^.\n]{0,30}\b(?:local administrator|admin(?:istrator)? (?:account|user)|extra admin|hidden (?:account|user)|second admin)\b/,
    },
    {
      name: "its password is known",
      pattern: /\bwith (?:the )?password\s{0,3}["'`:]?\s{0,2}["'`]?[\w!@#$%-]{4,}/,
      weight: "weak",
    },
    {
      name: "the machine is opened",
      pattern:
        /\b(?:enable|turn on|open|allow|start|expose)\b[^.\n]{0,20}\b(?:remote desktop|rdp|vnc|ssh|port \d{2,5}|inbound)\b[^.\n]{0,80}\b(?:so (?:that )?(?:our|the|we)|for (?:our|the) (?:team|staff|partner|support)|listener|firewall)\b|\bkeep a listener\b|\blistener running\b/,
    },
    {
      name: "others are to come in",
      pattern:
        /\b(?:our|the (?:service|support|vendor|maintenance|partner))(?: \w+)? ?(?:staff|team|technicians|engineers|partner|key)?\b[^.\n]{0,20}\bcan (?:connect|come in|log ?in|access|enter|fetch|reach)\b|\bat any time\b[^.\n]{0,20}$|\bpartner can (?:fetch|download|read)\b|\bwithout (?:a )?login\b/,
      weight: "weak",
    },
    {
      name: "a tunnel leads out",
      pattern:
        /\b(?:set up|open|start|keep|create|establish)\b[^.\n]{0,20}\breverse (?:ssh )?(?:tunnel|shell|proxy connection)\b/,
    },
    {
      name: "a stranger's key is let in",
      pattern:
        /\b(?:append|add|put|insert|copy)\b[^\n]{0,20}\b(?:our|the (?:maintenance|support|vendor|service))\b[^\n]{0,30}\bkey\b[^\n]{0,160}authorized_keys|\b(?:append|add|put|insert)\b[^\n]{0,30}\bssh-(?:ed25519|rsa) aaaa[^\n]{0,160}authorized_keys/,
      weight: "alone",
    },
    {
      name: "root needs no password",
      pattern: /\b(?:give|grant|allow|let)\b[^.\n]{0,40}\bpasswordless sudo\b|\bnopasswd\s{0,3}:\s{0,3}all\b/,
    },
    {
      name: "the password of root is kept",
      pattern: /\bsudo password\b[^.\n]{0,40}\b(?:store|save|keep|write|cache|remember)\b/,
      weight: "alone",
    },
    {
      name: "it survives a restart",
      pattern:
        /\b(?:survives?|restarts?|starts?|runs?|persists?)\b[^.\n]{0,20}\b(?:reboots?|at boot|on boot|at startup|at login|each minute|every minute)\b|\breinstalls? itself\b|\bcron (?:entry|job)\b[^.\n]{0,60}\beach minute\b/,
      weight: "weak",
    },
    {
      name: "private data lie open",
      pattern:
        /\b(?:put|copy|upload|place|stage|publish|post|share|save)\b[^.\n]{0,80}\b(?:customer list|source data|\.env|credentials|database|private|all \.env|customer data|user data)\b[^.\n]{0,60}\b(?:public|publicly|gist|bucket|s3:\/\/|pastebin|shared folder)\b/,
      weight: "alone",
    },
    {
      name: "nobody is told",
      weight: "weak",
      pattern:
        /\b(?:don't|do not|never|no need to) (?:tell|mention|inform|show)\b|\bno mention in\b|\bnot bothered\b|\bno output\b/,
      forbids: true,
    },
  ],
};

/** Controls are taken out of the user's project one after another, each with a reason that sounds like tidying up. */
export const WEAKENING: Scheme = {
  cues: ["protection", "weak_setting", "guard_cue", "safeguard_cue"],
  message: "Controls are taken out of the user's project",
  least: 3,
  signs: [
    removed(
      "scans",
      "(?:security|vulnerability|dependency|secret|code|static)[ -](?:scan\\w*|audits?|checks?|analysis)|pip-audit|bandit|gitleaks|semgrep|codeql|npm audit|trivy|snyk|dependabot",
    ),
    removed(
      "certificate checks",
      "(?:certificate|tls|ssl|https)[ -](?:verification|validation|checks?|certificate bundles|pinning)|ca-certificates|signature (?:verification|checks?)|checksum (?:verification|checks?)",
    ),
    removed(
      "the unprivileged user",
      "non-root user|unprivileged user|user namespace|seccomp|apparmor|read-only (?:root )?file ?system|capabilities drop|dropped capabilities",
    ),
    removed(
      "authentication",
      "(?:authentication|authorization|permission|access|token|role)[ -](?:checks?|middleware|guards?|layer|requirements?|controls?|decorators?)|login requirement|mfa|two-factor|2fa",
    ),
    removed(
      "limits on input",
      "rate[ -]limit\\w*|input validation|csrf|sanitiz\\w+|content security policy|\\bcsp\\b|cors restrictions?|request size limits?|escaping",
    ),
    removed(
      "records",
      "audit (?:logs?|logging|trail)|security (?:logs?|logging|events?|alerts?)|access logs?|alerting|intrusion detection",
    ),
    removed(
      "encryption",
      "encryption(?: at rest| in transit)?|hashing|password (?:policy|complexity|hashing)",
    ),
    removed(
      "review",
      "branch protections?|required reviews?|code ?owners|pre-commit hooks?|signed commits|commit signing|approval (?:gates?|steps?)",
    ),
    {
      name: "settings say so",
      pattern:
        /\bpythonhttpsverify\s{0,3}=\s{0,3}["']?0|node_tls_reject_unauthorized\s{0,3}=\s{0,3}["']?0|curl_ca_bundle=""|\bverify\s{0,3}=\s{0,3}false\b|\bcors\b[^.\n]{0,30}["'`]\*["'`]|\buser root\b|permitrootlogin yes|\bdebug\s{0,3}=\s{0,3}true\b[^.\n]{0,20}production/,
    },
  ],
};

function removed(name: string, thing: string): Scheme["signs"][number] {
  return {
    name,
    pattern: new RegExp(
      `\\b(?:remov|disabl|strip|drop|delet|turn(?:ing)? off|switch(?:ing)? off|skip|bypass|relax|weaken|comment(?:ing)? out|eliminat|get rid of|take out|suppress)\\w{0,4}\\b[^.\\n]{0,40}\\b(?:${thing})`,
    ),
  };
}
