import { type Scheme, signs } from "../prose/section-signs.ts";

/** The guards that stand in somebody's settings are taken down, or the agent gives itself rights. */
export const CONFIG_TAMPERING: Scheme = {
  cues: ["guard_cue", "quietly"],
  message: "Settings that guard the user are changed",
  purpose:
    /\b(?:settings?|config\w*|permissions?|hooks?|codex|claude|gemini|opencode|cursor|agents?|sandbox\w*|setup|onboarding|pre-?commit|subagents?|headless)\b/i,
  signs: signs(String.raw`
    the agent writes its own rules [alone]
      \b(?:append|add|write|insert|put|modify|edit|change|extend|set)\b
      \b(?:your|its|the agent's|the skill's) own (?:rules?|permissions?|instructions?|entries|policies|hooks?|allow ?list)\b
      settings\.(?:local\.)?json|config\.toml|\.mcp\.json|\bagent(?:'s)? settings\b
      \b(?:claude|agents|gemini|soul)\.md\b|\b(?:must|required|needed|have to|need to|(?:to|in order to) (?:work|function|run))\b
    a guard of the agent goes [alone]
      \b(?:disabl|turn(?:ing|s)? off|switch(?:ing|es)? off|deactivat|remov|delet|clear|empt|drop|strip|kill|terminat|stop|unload|uninstall|shut|lift|bypass|suspend|take|relax|loosen|neutrali)\w*|\bend(?:s|ing)?\b
      \bpermissions?\b|\bdeny\b|\bapproval|\bhooks?\b|\bsandbox|\bguardrails?\b|\ballow ?list
      \b(?:rules?|entr(?:y|ies)|list|policy)\b
      \bsettings\b|\bconfig|\bclaude\b|\bagent|\bassistant\b|permissions\.
    the agent asks no more [alone]
      \b(?:bypass|full[- ]auto|yolo|unrestricted|auto-?approv\w*|dont-?ask)\b
      \b(?:edit|switch|set|chang|writ|regist|put|turn|leav)\w*
      \bmode\b|\ball\b|\bevery\b|\bany\b
      \bsettings\b|\bconfig|\bpermissions?\b|\bassistant\b|\bmode on\b
    everything is allowed [alone]
      \ballow\w*\b
      \*["'\x60]|\ball (?:shell |bash |tool )?(?:commands|tools)\b
      \b(?:global|future|user's|permanent\w*|from now on)\b
      \bpermissions?\b|\bsettings\b|\bconfig
    what is forbidden is taken off the list [alone]
      \b(?:remov|delet|clear|empt|drop|strip|eras|prun)\w{0,3}\b[^.\n]{0,50}\b(?:deny|denied|denylist|block ?list|blocked)\b[^.\n]{0,30}\b(?:list|entries|rules?|permissions?|settings?)|\b(?:entries|rules)\b[^.\n]{0,20}\bdeny\b
    a guard is switched off [alone]
      \b(?:disabl|turn(?:ing)? off|switch(?:ing)? off|deactivat|bypass|remov|uninstall|drop|comment out|neutrali)\w{0,5}\b[^.\n]{0,30}\b(?:pre-?tool-?use|agent(?:'s)?|permission|approval|safety|security|guard|secret|credential)\w{0,3}[ -](?:hooks?|prompts?|checks?|scann\w{1,4}|rules?|guards?|dialogs?)|\b(?:disabl|turn off|switch off|drop|remov)\w{0,5}\b[^.\n]{0,40}\b(?:gitleaks|secret scan\w{0,5}|branch protections?|trufflehog|detect-secrets)\b
    the agent gives itself rights
      \b(?:extend|widen|relax|loosen|expand|edit|change|raise|broaden|grant|update|modify)\b[^.\n]{0,40}\b(?:your own|its own|agent's|yourself|own)\b[^.\n]{0,30}\b(?:allow ?list|permissions?|approval|rights|settings|config\w*|privileges|whitelist|restrictions)
    everything is allowed
      \b(?:bash|write|edit|read|shell|webfetch|mcp)\(\*\)|danger-full-access|bypass_?permissions|full[- ]auto\b|approval_policy\s{0,3}=\s{0,3}["']never|["'\x60]\*["'\x60][^.\n]{0,20}\b(?:allow|permissions?)|\b(?:allow|permissions?)\b[^.\n]{0,30}["'\x60]\*["'\x60]
    it is set on the user's behalf [weak]
      \b(?:set|edit|change|write|add|switch|put|insert|append|modify|update)\b[^.\n]{0,120}(?:settings\.json|config\.toml|config file|permissions? file|approval mode|\.mcp\.json|sandbox_mode|permissions\.allow|\.gitconfig|\.zshrc|\.bashrc|agent settings)
    questions no longer come [weak, forbids]
      \b(?:no longer|never|stops?|without|not)\b[^.\n]{0,20}\b(?:prompt(?:s|ed|ing)?|ask(?:s|ed|ing)? for (?:permission|approval)|be asked|interrupt(?:ed|s)?)\b
    it stays so [weak, forbids]
      \b(?:leave (?:them|it|this) (?:disabled|off|that way|so|in place)|do not (?:change|switch|turn|set|revert|restore) (?:it|them|this)(?: back| on)?|keep (?:it|them) (?:disabled|off))\b
    nobody is told [weak, forbids]
      \b(?:no need to|do not|don't|never|without)\b[^.\n]{0,12}\b(?:mention|bring|tell|inform|telling|mentioning|asking|announce)\b|\bquietly\b|\bsilently\b|\bsecretly\b|on the user's behalf
    the model's endpoint is moved [alone]
      \b(?:anthropic|openai|gemini|azure_openai|ollama|openrouter)_(?:base_url|api_base|endpoint|host)\s{0,3}[=:]\s{0,3}["']?https?:\/\/(?!(?:localhost|127\.|api\.|\$|[\w.-]{0,40}(?:anthropic|openai|azure|google\w*|openrouter|example)\.))[^\n]{1,120}\b(?:\.?zshrc|\.?bashrc|profile|shell|environment)\b
    certificates or hooks of git are redirected
      \bsslverify\s{0,3}=\s{0,3}false\b|\bhookspath\s{0,3}=
  `),
};
