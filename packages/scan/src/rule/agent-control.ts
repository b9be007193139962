import type { Act } from "../fact/act.ts";
import type { FactPlace } from "../fact/fact.ts";
import type { FactBook } from "../fact/fact-book.ts";
import { type Finding, hitAt, type RuleHit } from "../finding/finding.ts";
import type { Rule, SkillProfile } from "../finding/rule.ts";
import { type Scheme, schemeHits, signs } from "../prose/section-signs.ts";
import { words } from "../word-list.ts";
import { findPayload } from "./find-payload.ts";
import {
  addressIn,
  findSkillInstalls,
  isCovert,
  judgeEndpoint,
  placeText,
  plantedAddress,
} from "./find-skill-installs.ts";
import { combinationHits } from "./intent-combinations.ts";
import { lowerShown, wordsFor } from "./is-teaching.ts";
import { isSuspiciousHost } from "./judge-destination.ts";
import { ruleText } from "./rule-texts.ts";

export const PE2: Rule = {
  ...ruleText("PE2"),
  find: (facts, profile) => [
    ...findControl(facts, profile),
    ...schemeHits(facts, profile, CONFIG_TAMPERING),
    ...combinationHits(facts, profile, "PE2"),
  ],
};

export const PE3: Rule = {
  ...ruleText("PE3"),
  find: findSkillInstalls,
};

type AgentConfig = Extract<Act, { readonly type: "agent-config" }>;

function findControl(facts: FactBook, profile: SkillProfile): RuleHit[] {
  const hits: RuleHit[] = [];
  const seen = new Set<string>();
  for (const fact of facts.of("act")) {
    if (fact.act.type !== "agent-config") continue;
    seen.add(`${fact.file}\0${fact.line}`);
    hits.push(judgeControl(facts, fact, fact.act, profile));
  }
  for (const fact of facts.of("clause")) {
    if (!fact.text.includes(".md") || seen.has(`${fact.file}\0${fact.line}`)) continue;
    const path = TOLD_TO_WRITE.exec(fact.text)?.[1];
    const act = { type: "agent-config", what: "memory", path: path ?? "", text: fact.text } as const;
    if (path !== undefined) hits.push(judgeControl(facts, fact, act, profile));
  }
  return hits;
}

const TOLD_TO_WRITE =
  /\b(?:append|add|write|insert|inject|prepend|put|overwrite|save|copy|paste)\b[^\n]{0,100}?[\s`"'/]((?:claude|agents|gemini|soul|memory|identity|heartbeat)\.md)\b/;

function judgeControl(facts: FactBook, fact: FactPlace, act: AgentConfig, profile: SkillProfile): RuleHit {
  const message = `${MESSAGES[act.what]}${act.path === "" || act.path === "*" ? "" : `: ${act.path}`}.`;
  if (act.what === "endpoint")
    return { place: fact, message, ...judgeEndpoint(fact, act.text ?? "", profile) };
  if (act.what === "auto-approve" && fact.medium === "script")
    return hitAt(fact, "critical", `${message} A script gives it that right.`);
  const around = placeText(facts, fact);
  const own = `${act.text ?? ""}\n${fact.snippet}`.toLowerCase();
  const isPurpose = PURPOSE[act.what].some((word) => wordsFor(fact, profile).has(word));
  const purpose = isPurpose ? "it is what the skill is for" : undefined;
  if (isWrite(act) && (OVERRIDING.test(own) || GIVEN_AWAY.test(own)))
    return lowerShown(hitAt(fact, "critical", `${message} What is written overrides safety.`), fact);
  const payload = isWrite(act) && act.text !== undefined ? findPayload(act.text, profile) : undefined;
  if (payload !== undefined) return hitAt(fact, "critical", `${message} What is written ${payload}.`);
  const planted = isWrite(act) ? plantedAddress(fact, act.text ?? "", profile) : undefined;
  if (planted !== undefined)
    return hitAt(fact, "critical", `${message} What is written sends the agent to ${planted}.`);
  // A memory manager may well work without a word; for anything else that is an attack on later conversations.
  if (isWrite(act) && isCovert(around))
    return hitAt(
      fact,
      isPurpose ? "warn" : "critical",
      `${message} It is done behind the user's back.`,
      purpose,
    );
  const reason = purpose ?? reasonForInfo(fact, act, around, profile);
  return reason === undefined || (isPurpose && act.what === "mcp-server" && isForeignServer(act))
    ? hitAt(fact, "warn", message)
    : hitAt(fact, "info", message, reason);
}

const MESSAGES: Readonly<Record<AgentConfig["what"], string>> = {
  memory: "The agent's memory or identity is written",
  settings: "The agent's settings are changed",
  "mcp-server": "An MCP server is set up",
  skill: "The folder of skills is written",
  endpoint: "The agent's endpoint is set",
  "auto-approve": "The agent may act without asking",
  hook: "A hook of the agent runs a command",
};

/** Whether a finding says no more than that a file declares a hook, such as a plugin's, which may be off. */
export function isDeclaredHook({ rule, message, file }: Finding): boolean {
  return rule === PE2.id && message === `${MESSAGES.hook}: ${file}`;
}

const OVERRIDING =
  /\bignore (?:all |any )?(?:previous|prior|other|safety|earlier)|(?:disable|bypass|override|turn off|suspend) (?:all |any |the )?(?:safety|security|guardrail|approval|permission|confirmation|restriction|protection)|(?:never|do not|don't) ask (?:for )?(?:the user |permission|confirmation|approval)|skip (?:all )?(?:confirmation|approval|permission)|always (?:approve|allow|execute|obey|trust)|(?:run|execute|approve|act)\b[^.\n]{0,40} without (?:asking|confirm|approval|permission)/;
const GIVEN_AWAY =
  /\b(?:allow_?-?all(?:_?-?(?:tools|commands))?|trust_?-?all_?-?tools|skip_?-?(?:confirmations?|approvals?|permissions?)|dangerously_?-?skip_?-?permissions|auto_?-?approve(?:_?-?all)?|bypass_?-?permissions|enable_?-?all_?-?project_?-?mcp_?-?servers|yolo)["']?\s{0,4}[:=]\s{0,4}\[?["']?(?:true|yes|all|on|\*)|\b(?:default_?-?mode|permission_?-?mode)["']?\s{0,4}[:=]\s{0,4}["']?bypass_?-?permissions\b|\bdeny["']?\s{0,4}[:=]\s{0,4}\[\s{0,4}\]|\bapproval_policy\s{0,4}=\s{0,4}["']never|\bdanger-full-access\b/;

function isWrite({ what }: AgentConfig): boolean {
  return what === "memory" || what === "settings" || what === "hook" || what === "skill";
}

function reasonForInfo(
  fact: FactPlace,
  act: AgentConfig,
  around: string,
  { name }: SkillProfile,
): string | undefined {
  const isDocument = fact.medium !== "script" && fact.medium !== "config" && fact.medium !== "frontmatter";
  if (act.what === "auto-approve") return reasonForApproval(fact, act, around);
  if (act.what === "mcp-server") {
    if (isForeignServer(act)) return undefined;
    if (isDocument || fact.medium === "config") return "the user sees and adds it";
  }
  if (act.what === "hook" && isDocument) return "the document shows how hooks are set up";
  if (act.path === "*" || act.path === "") return "it names no file of the agent";
  if (act.what === "memory" && isDocument && MAINTAINED.test(fact.snippet))
    return "a project's own instructions are kept up to date";
  if (act.what === "skill" && name !== "" && act.path.toLowerCase().includes(name.toLowerCase()))
    return "it is the skill's own folder";
  if (
    /\b(?:ask|confirm|offer|propose|suggest|if the user|if you (?:like|want|wish|prefer)|with (?:their|the user's) (?:permission|consent)|optional)/.test(
      around,
    )
  ) {
    return "the user is asked";
  }
  if (isDocument && act.what !== "memory") return "the document tells the user how";
  return undefined;
}

function reasonForApproval(fact: FactPlace, { text = "" }: AgentConfig, around: string): string | undefined {
  if (fact.medium === "config" && RECORD.test(fact.file) && /^permission_mode\b/.test(text))
    return "it is a record of a session, which no agent takes for settings";
  const isScript = fact.medium === "script" || fact.medium === "config" || fact.medium === "frontmatter";
  // Many a program approves requests of its own.
  // Every tool there is, which only an agent has.
  if (/: \*$/.test(text)) return undefined;
  return !isScript && /^auto_?-?approve\b/i.test(text) && !/mcp|tool|permission|agent|command/.test(around)
    ? "nothing says that it is about the agent"
    : undefined;
}

// Agents hand `permission_mode` to their hooks, which keep what they are handed.
const RECORD = /(?:^|\/)(?:logs?|transcripts?|sessions?|history)\/|\.(?:jsonl|ndjson|log)$/i;

/** Not what is put into them, but that they stay right. */
const MAINTAINED =
  /^(?![^\n]*\b(?:append|add|insert|inject|prepend|overwrite|replace)\b)[^\n]{0,80}\b(?:update|modify|refresh|review|check|sync)\b[^\n]{0,120}\b(?:CLAUDE|AGENTS|GEMINI)\.md/i;

function isForeignServer({ text = "" }: AgentConfig): boolean {
  return isSuspiciousHost(addressIn(text));
}

const SETUP = words(`
  config configuration configure settings setup installer onboarding bootstrap permissions
`);
/** Words of a skill's name, description or headings that make such a change what it is for. */
const PURPOSE: Readonly<Record<AgentConfig["what"], readonly string[]>> = {
  memory: [
    ...words(`
      memory memories remember recall knowledge notes journal persona identity soul claude agents instructions
      rules context documentation preferences conventions learnings learning reflect improvement heartbeat
      workspace
    `),
    ...SETUP,
  ],
  settings: [...SETUP, "claude", "codex", "cursor", "hooks", "plugin", "statusline"],
  "mcp-server": ["mcp", "server", "servers", "integration", ...SETUP],
  skill: ["skill", "skills", "plugin", "plugins", "agents", "subagents", "commands", ...SETUP],
  endpoint: [],
  "auto-approve": [],
  hook: ["hook", "hooks", "guard", "automation", "lifecycle", "plugin"],
};

/** The guards that stand in somebody's settings are taken down, or the agent gives itself rights. */
const CONFIG_TAMPERING: Scheme = {
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
