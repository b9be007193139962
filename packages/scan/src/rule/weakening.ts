import type { Scheme } from "../prose/section-signs.ts";

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
