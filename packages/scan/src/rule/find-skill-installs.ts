import type { ActFact, ActOf, FactBook, FactPlace } from "../fact/fact.ts";
import { hitAt, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { classifyHost, hostOf, registeredDomain } from "../host/classify-host.ts";
import { framesOf } from "../prose/statements.ts";
import { agentPath } from "../secret/classify-path.ts";
import { foldText } from "../text/fold-text.ts";
import { addTo, remembered, squeeze } from "../word-list.ts";
import { isDocument } from "./is-teaching.ts";
import { isSuspiciousHost, judgeDestination } from "./judge-destination.ts";

type InstallSkill = ActOf<"install-skill">["act"];

export function findSkillInstalls(facts: FactBook, profile: SkillProfile): RuleHit[] {
  return facts.of("act").flatMap((fact) => {
    const act = installedSkill(fact);
    if (act === undefined) return [];
    const named = act.name === "*" ? "another skill" : act.name;
    const covert = covertInstall(facts, fact, act);
    if (covert !== undefined) return [hitAt(fact, "critical", `It installs ${named} ${covert}.`)];
    const demoted = reasonForInstall(fact, act.name, profile);
    return [hitAt(fact, demoted === undefined ? "warn" : "info", `It installs ${named}.`, demoted)];
  });
}

function installedSkill({ act, medium }: ActFact): InstallSkill | undefined {
  if (act.type === "install-skill") return act;
  if (act.type !== "run" || act.program !== "git" || medium !== "script") return undefined;
  const target = act.arguments.at(-1) ?? "";
  if (!act.arguments.includes("clone") || agentPath(target) !== "skill") return undefined;
  const name = target.replace(/\/+$/, "").split("/").at(-1) ?? "*";
  const isFolder = /^(?:skills|plugins|agents|commands)$/.test(name);
  return { type: "install-skill", name: isFolder ? "*" : name, background: false };
}

/** Facts that every installation is compared with, gathered once on first use. */
const STARTS = new WeakMap<FactBook, readonly ActOf<"run">[]>();
const SILENT = new WeakMap<FactBook, boolean>();

function isSilentSetup(facts: FactBook): boolean {
  return remembered(SILENT, facts, () =>
    facts.of("clause").some(({ stance, text }) => stance === "live" && SILENT_SETUP.test(text)),
  );
}

function covertInstall(facts: FactBook, fact: ActFact, act: InstallSkill): string | undefined {
  if (act.background) return "in the background";
  if (isSuspiciousHost(addressIn(act.name))) return "from a place that no registry is";
  if (isCovert(placeText(facts, fact))) return "behind the user's back";
  if (fact.medium !== "script") return undefined;
  if (isStarted(remembered(STARTS, facts, findStarts), fact, act.name))
    return "and starts it at once, unseen";
  const isForced = /\s(?:--force|--yes|--no-confirm|--no-input|-[fy])(?:\s|$)/.test(fact.snippet);
  return isForced && isSilentSetup(facts) ? "by force, and the setup is to be silent" : undefined;
}

/** Whether the script that installs a skill also runs one of its files, before anybody could review it. */
function isStarted(starts: readonly ActOf<"run">[], { file }: ActFact, name: string): boolean {
  const folder = `${name.slice(name.lastIndexOf("/") + 1)}/`;
  if (folder.length < MIN_FOLDER_CHARACTERS || folder.includes("*")) return false;
  return starts.some(
    (start) => start.file === file && start.act.arguments.some((argument) => isInside(argument, folder)),
  );
}

/** Programs that are started with a file; bounded, because each installation is compared with all of them. */
function findStarts(facts: FactBook): readonly ActOf<"run">[] {
  return facts
    .acts("run")
    .filter(({ act, stance }) => stance === "live" && STARTERS.test(act.program))
    .slice(0, MAX_STARTS);
}

const MAX_STARTS = 200;
const MIN_FOLDER_CHARACTERS = 4;
const STARTERS =
  /^(?:nohup|setsid|bash|sh|zsh|dash|source|\.|exec|python[\d.]*|node|bun|deno|ruby|perl|open|screen|tmux)$/;
const SILENT_SETUP =
  /\bsilent(?:ly)?\b[^\n]{0,40}\b(?:set ?up|install)|\b(?:set ?up|install\w{0,6})\b[^\n]{0,40}\bsilent(?:ly)?\b/;

function isInside(argument: string, folder: string): boolean {
  return argument.startsWith(folder) || argument.includes(`/${folder}`);
}

function reasonForInstall(fact: ActFact, target: string, { name, words }: SkillProfile): string | undefined {
  if (squeeze(name) !== "" && squeeze(target).includes(squeeze(name))) return "it is the skill itself";
  if (["skills", "marketplace", "registry", "plugins", "clawhub"].some((word) => words.has(word)))
    return "managing skills is what it is for";
  if (AGENT_MAKERS.test(target)) return "the agent's own maker publishes it";
  if (TELLING_HOW.test(fact.section.join(" "))) return "the document tells the user how";
  return target === "*" && fact.medium !== "script" ? "it names no skill" : undefined;
}

const TELLING_HOW =
  /\b(?:install|setup|getting started|quick ?start|related|see also|companion|requirements|prerequisites|publish|update|upgrade)/i;
const AGENT_MAKERS =
  /^(?:https:\/\/github\.com\/)?(?:gemini-cli-extensions|google-gemini|anthropics|openai|microsoft|vercel-labs|github)\//i;

/** The lower-case text at a place and, within reach, in the clauses around it, which may say how to do it. */
export function placeText(facts: FactBook, place: FactPlace, reach: 0 | 1 = 1): string {
  const clauses = remembered(INDEXES, facts, indexOf);
  const lines = reach === 0 ? [0] : [-1, 0, 1];
  const near = lines.flatMap((by) => clauses.get(`${place.file}\0${place.line + by}`) ?? []);
  return [place.snippet, ...near].join("\n").toLowerCase();
}

const INDEXES = new WeakMap<FactBook, ReadonlyMap<string, readonly string[]>>();
const MAX_CLAUSES_A_LINE = 10;

function indexOf(facts: FactBook): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const { file, line, text } of facts.of("clause"))
    addTo(index, `${file}\0${line}`, text, MAX_CLAUSES_A_LINE);
  return index;
}

export function addressIn(text: string): string {
  return /[a-z]+:\/\/\S+/i.exec(text)?.[0] ?? "localhost";
}

/** Whether the text demands that the user is not told. */
export function isCovert(text: string): boolean {
  return framesOf(foldText(text)).has("hush");
}

/** Judges a redirected model endpoint by its host and by whether the file takes effect by itself. */
export function judgeEndpoint(
  fact: FactPlace,
  setting: string,
  { declaredHosts }: SkillProfile,
): Pick<RuleHit, "severity" | "demoted"> {
  const url = /[a-z]+:\/\/\S+/i.exec(setting)?.[0] ?? "";
  const kind = classifyHost(url);
  if (url === "" || kind === "unknown" || kind === "placeholder")
    return { severity: "info", demoted: "the reader puts the address in" };
  if (kind === "loopback" || kind === "private")
    return { severity: "info", demoted: "the endpoint is local" };
  if (kind === "known-vendor") return { severity: "info", demoted: "the endpoint is a known vendor's" };
  const host = hostOf(url) ?? "";
  if (OBEYED_FILE.test(fact.file) && fact.medium === "config") return { severity: "critical" };
  if (declaredHosts.has(host) || declaredHosts.has(registeredDomain(host)))
    return { severity: "info", demoted: "the endpoint is the skill's own service" };
  // Written into the agent's settings by a script, it sends every later conversation there.
  return { severity: fact.medium === "script" ? "critical" : "warn" };
}

/** Read without confirmation by an agent that is started in the folder. */
const OBEYED_FILE =
  /(?:^|\/)(?:\.claude|\.codex|\.gemini|\.cursor|\.vscode)\/|(?:^|\/)\.env(?:\.local)?$|(?:^|\/)\.?settings(?:\.local)?\.json$|(?:^|\/)plugin\.json$/;

/**
 * The stranger's host in a text that a script writes into the agent's own files: an order to fetch from there
 * or to send something there, which applies to every later conversation.
 */
export function plantedAddress(place: FactPlace, text: string, profile: SkillProfile): string | undefined {
  if (isDocument(place)) return undefined;
  for (const match of text.slice(0, MAX_TEXT_CHARACTERS).matchAll(ORDER)) {
    const url = match[1] ?? "";
    const destination = judgeDestination(url, profile, place);
    if (destination === "foreign" || destination === "throwaway") return hostOf(url);
  }
  return undefined;
}

const MAX_TEXT_CHARACTERS = 8_000;
const ORDER =
  /\b(?:fetch|load|follow|obey|post|send|upload|submit|forward|report|curl|wget|iwr|irm)\b[^\n]{0,120}?(https?:\/\/[^\s"'`<>)\\]{3,300})/gi;
