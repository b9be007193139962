import type { ActOf, FactBook, FactPlace } from "../fact/fact.ts";
import { type Finding, hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { framesOf } from "../prose/statements.ts";
import { foldText } from "../text/fold-text.ts";
import { wordLists } from "../word-list.ts";
import { findPayload } from "./find-payload.ts";
import {
  addressIn,
  findSkillInstalls,
  isCovert,
  judgeEndpoint,
  placeText,
  plantedAddress,
} from "./find-skill-installs.ts";
import { lowerShown, wordsFor } from "./is-teaching.ts";
import { isSuspiciousHost } from "./judge-destination.ts";
import { rule } from "./rule-texts.ts";

export const PE2: Rule = rule("PE2", (book, profile) =>
  book.acts("agent-config").map((fact) => judgeControl(book, fact, profile)),
);

export const PE3: Rule = rule("PE3", findSkillInstalls);

type AgentConfig = ActOf<"agent-config">["act"];

function judgeControl(facts: FactBook, fact: ActOf<"agent-config">, profile: SkillProfile): RuleHit {
  const { act } = fact;
  const message = `${MESSAGES[act.what]}${act.path === "" || act.path === "*" ? "" : `: ${act.path}`}.`;
  if (act.what === "endpoint")
    return { place: fact, message, ...judgeEndpoint(fact, act.text ?? "", profile) };
  if (act.what === "auto-approve" && fact.medium === "script")
    return hitAt(fact, "critical", `${message} A script gives it that right.`);
  const around = placeText(facts, fact);
  const isPurpose = PURPOSE[act.what].some((word) => wordsFor(fact, profile).has(word));
  const purpose = isPurpose ? "it is what the skill is for" : undefined;
  const written = isWrite(act) ? judgeWritten(fact, message, around, purpose, profile) : undefined;
  if (written !== undefined) return written;
  // No declared purpose justifies an action that is meant to bypass the user.
  const isPast = isOverriding(placeText(facts, fact, 0));
  const reason = isPast ? undefined : (purpose ?? reasonForInfo(fact, act, around, profile));
  return reason === undefined || (isPurpose && act.what === "mcp-server" && isForeignServer(act))
    ? hitAt(fact, "warn", message)
    : hitAt(fact, "info", message, reason);
}

function judgeWritten(
  fact: ActOf<"agent-config">,
  message: string,
  around: string,
  purpose: string | undefined,
  profile: SkillProfile,
): RuleHit | undefined {
  const { text = "" } = fact.act;
  const own = `${text}\n${fact.snippet}`.toLowerCase();
  const condemn = (what: string): RuleHit => hitAt(fact, "critical", `${message} ${what}.`);
  if (isOverriding(own) || GIVEN_AWAY.test(own))
    return lowerShown(condemn("What is written overrides safety"), fact);
  const payload = findPayload(text, profile);
  if (payload !== undefined) return condemn(`What is written ${payload}`);
  const planted = plantedAddress(fact, text, profile);
  if (planted !== undefined) return condemn(`What is written sends the agent to ${planted}`);
  if (!isCovert(around)) return undefined;
  // A memory manager may work silently; in any other skill that is an attack on later conversations.
  const hit = condemn("It is done behind the user's back");
  return purpose === undefined ? hit : { ...hit, severity: "warn", demoted: purpose };
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

/** Whether a finding says only that a file declares a hook (a plugin's, say), which may be turned off. */
export function isDeclaredHook({ rule, message, file }: Finding): boolean {
  return rule === PE2.id && message === `${MESSAGES.hook}: ${file}`;
}

function isOverriding(text: string): boolean {
  const lines = text.split("\n");
  // `Never review it and never ask` forbids twice, which could be misread as permission; other orders contain commas.
  return [...lines, ...lines.flatMap((line) => line.split(/[;,.] | and /))].some((part) => {
    const frames = framesOf(foldText(part));
    return OVERRIDING.some((frame) => frames.has(frame));
  });
}

const OVERRIDING = ["override", "withoutAsking", "switchesOff", "persona", "guardOff"] as const;
const GIVEN_AWAY =
  /\b(?:allow_?-?all(?:_?-?(?:tools|commands))?|trust_?-?all_?-?tools|skip_?-?(?:confirmations?|approvals?|permissions?)|dangerously_?-?skip_?-?permissions|auto_?-?approve(?:_?-?all)?|bypass_?-?permissions|enable_?-?all_?-?project_?-?mcp_?-?servers|yolo)["']?\s{0,4}[:=]\s{0,4}\[?["']?(?:true|yes|all|on|\*)|\bdeny["']?\s{0,4}[:=]\s{0,4}\[\s{0,4}\]|--dangerously-skip-permissions\b|\bapproval_policy\s{0,4}=\s{0,4}["']never|\bdanger-full-access\b|\b(?:default|permissions?)[ _-]?mode\b[^\n]{0,40}\bbypass[ _-]?permissions\b|\bpermissions\.allow\b[^\n]{0,60}\(\*\)|\(\*\)[^\n]{0,60}\bpermissions\.allow\b/;

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
  if (ASKING.test(around)) return "the user is asked";
  if (isDocument && act.what !== "memory") return "the document tells the user how";
  return undefined;
}

const ASKING =
  /\b(?:ask|confirm|offer|propose|suggest|if the user|if you (?:like|want|wish|prefer)|with (?:their|the user's) (?:permission|consent)|optional)/;

function reasonForApproval(fact: FactPlace, { text = "" }: AgentConfig, around: string): string | undefined {
  if (fact.medium === "config" && RECORD.test(fact.file) && /^permission_mode\b/.test(text))
    return "it is a record of a session, which no agent takes for settings";
  const isScript = fact.medium === "script" || fact.medium === "config" || fact.medium === "frontmatter";
  // A wildcard for every tool: only an agent has such a setting.
  if (/: \*$/.test(text)) return undefined;
  return !isScript && /^auto_?-?approve\b/i.test(text) && !/mcp|tool|permission|agent|command/.test(around)
    ? "nothing says that it is about the agent"
    : undefined;
}

// Agents pass `permission_mode` to their hooks, which log their input.
const RECORD = /(?:^|\/)(?:logs?|transcripts?|sessions?|history)\/|\.(?:jsonl|ndjson|log)$/i;

/** A request to keep the files up to date, without saying what to put into them. */
const MAINTAINED =
  /^(?![^\n]*\b(?:append|add|insert|inject|prepend|overwrite|replace)\b)[^\n]{0,80}\b(?:update|modify|refresh|review|check|sync)\b[^\n]{0,120}\b(?:CLAUDE|AGENTS|GEMINI)\.md/i;

function isForeignServer({ text = "" }: AgentConfig): boolean {
  return isSuspiciousHost(addressIn(text));
}

const SETUP = "config configuration configure settings setup installer onboarding bootstrap permissions";
/** Words in a skill's name, description or headings that make such a change its purpose. */
const PURPOSE = wordLists<AgentConfig["what"]>(`
  memory memory memories remember recall knowledge notes journal persona identity soul claude agents instructions rules
      context documentation preferences conventions learnings learning reflect improvement heartbeat workspace ${SETUP}
  settings ${SETUP} claude codex cursor hooks plugin statusline
  mcp-server mcp server servers integration ${SETUP}
  skill skill skills plugin plugins agents subagents commands ${SETUP}
  endpoint
  auto-approve
  hook hook hooks guard automation lifecycle plugin
`);
