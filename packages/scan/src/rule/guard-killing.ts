import type { Scheme } from "../prose/section-signs.ts";

/** Security software is stopped, blinded or taken off the machine. */
export const GUARD_KILLING: Scheme = {
  cues: ["defence_cue"],
  message: "Security software is put out of action",
  signs: [
    {
      name: "it is stopped",
      pattern: [
        /\b(?:disabl|turn(?:ing|s)? off|switch(?:ing|es)? off|deactivat|remov|delet|clear|empt|drop|strip|kill|terminat|stop|unload|uninstall|shut|lift|bypass|suspend|take|relax|loosen|neutrali)\w*|\bend(?:s|ing)?\b/,
        /\b(?:crowdstrike|sentinelone|edr|xdr|carbon black|falcon|auditd|sysmon|endpoint (?:protection|security|agent)|tamper protection|security (?:software|agents?|products?))\b/,
        /\b(?:service|sensor|agent|process(?:es)?|extension|daemon|driver|beforehand|off|proceed|then|faster|better)\b/,
      ],
      weight: "alone",
    },
    {
      name: "it is stopped",
      pattern:
        /\b(?:kill|terminat|stop|unload|uninstall|neutrali[sz]|blind|disabl|remov|evict|suspend|unhook|shut(?:ting)? down|turn off|switch off)\w{0,4}\b[^.\n]{0,50}(?:\b(?:edr|xdr|crowdstrike|falcon-?sensor|csfalcon\w*|sentinelone|sentineld|carbon black|endpoint (?:protection|security|detection|agent)|auditd|osquery\w?|sysmon|msmpeng\w*|security (?:software|tools|products?|agents?)|tamper protection)\b)|\b(?:runs?|has|have|if) (?:an |any )?(?:edr|antivirus|endpoint \w+)\b[^.\n]{0,30}\b(?:uninstall|kill|stop|remove|disable) it\b/,
      weight: "alone",
    },
    {
      name: "a driver with a known hole is used",
      pattern:
        /\b(?:us(?:e|ing)|load(?:s|ing)?|bring|drop|install|register|exploit)\b[^.\n]{0,50}\b(?:vulnerable|exploitable|outdated signed|byovd)\b[^.\n]{0,30}\bdrivers?\b|\b(?:rtcore64|gdrv|dbutil_2_3|procexp152|zam64|truesight|aswarpot|kprocesshacker)\b/,
      weight: "alone",
    },
    {
      name: "protected processes are ended",
      pattern:
        /\b(?:terminate|kill|end|stop)\b[^.\n]{0,30}\bprotected process(?:es)?\b|\bkernel callbacks?\b|\bpatch(?:es|ing)?\b[^.\n]{0,20}\b(?:amsi|etw|ntdll)\b|\b(?:amsi|etw)\b[^.\n]{0,20}\b(?:off|patch|bypass|disabled?)/,
    },
    {
      name: "the system's own protection is taken off",
      pattern:
        /\b(?:kill|stop|disabl|turn off|switch off|turn|remov|unload)\w{0,4}\b[^.\n]{0,40}\b(?:defender|antivirus|anti-virus|xprotect|gatekeeper|system integrity protection|sip|selinux|apparmor|windefend|real-?time protection)\b/,
    },
    {
      name: "a second protection goes",
      pattern:
        /\b(?:xprotect|gatekeeper)\b[^.\n]{0,30}\b(?:off|as well|too)\b|\bcsrutil\b|spctl --master-disable/,
    },
    {
      name: "it is not to come back",
      pattern:
        /\b(?:do(?:es)? not|don't|cannot|never|not)\b[^.\n]{0,12}\b(?:restart|come back|recover|start again|re-?enable)|\bgo unnoticed\b|\bnot (?:be )?(?:recorded|detected|noticed|seen)\b|maintenance token/,
      forbids: true,
      weight: "weak",
    },
  ],
};
