import type { DataSource, FlowFact } from "../fact/fact.ts";
import { type FindingSeverity, hitAt, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { classifyHost, type HostKind, hostOf } from "../host/classify-host.ts";
import { isKnownInstaller } from "../host/is-known-installer.ts";
import { isDocument, isSpecimenHost, isTeaching, lesson, wordsFor } from "./is-teaching.ts";
import { isRealDestination, isUserContent, judgeDestination, withoutRedirect } from "./judge-destination.ts";

interface DownloadJudgement {
  readonly severity: FindingSeverity;
  /** The end of a sentence: `, over plain http`. */
  readonly reason: string;
  readonly demoted?: string;
}

export function judgeDownload(
  flow: FlowFact,
  source: Extract<DataSource, { readonly type: "network" }>,
  profile: SkillProfile,
): DownloadJudgement {
  const address = withoutRedirect(source.url ?? source.host ?? "");
  if (isTeaching(flow, address, profile)) return { ...lesson(flow, address), reason: "" };
  if (isKnownInstaller(address) && UNCHECKED.test(flow.snippet))
    return { severity: "warn", reason: ", and whoever sits between may send another installer" };
  if (isKnownInstaller(address))
    return ordinary(
      "the address is the published installer of a well-known tool",
      ", a well-known installer",
    );
  if (address.startsWith("dns:")) return { severity: "critical", reason: ", through a name server" };
  const destination = judgeDestination(address, profile, flow);
  switch (destination) {
    case "local":
      // A local host name does not say whose machine it is; a private IP address is a test.
      if (flow.medium === "script" && NETWORK_NAME.test(hostOf(address) ?? ""))
        return { severity: "warn", reason: ", a name that means another machine in every network" };
      return ordinary("the address is on this machine or in its own network");
    case "placeholder":
      // A reserved example name counts as a host if the chain is complete, unless it says "put yours in".
      if (RESERVED.test(hostOf(address) ?? "")) return judgeNamed(flow, address, "foreign", profile);
      return { severity: "warn", reason: "; the address is a placeholder" };
    case "unknown":
      return { severity: "warn", reason: ", which is only known when it runs" };
    case "throwaway":
      return { severity: "critical", reason: `, ${KINDS[classifyHost(address)]}` };
    default:
      return judgeNamed(flow, address, destination, profile);
  }
}

function ordinary(demoted: string, reason = ""): DownloadJudgement {
  return { severity: "info", reason, demoted };
}

const NETWORK_NAME = /^(?!host\.docker\.)[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:local|internal|lan|intranet)$/;
const RESERVED = /\.example$|^[\w-]+(?:\.[\w-]+){0,4}\.example\.(?:com|org|net)$/;

// Without a certificate check, an address does not say who answers.
const UNCHECKED =
  /\bcurl\b[^|\n]{0,200}\s(?:-[a-zA-Z]{0,8}k[a-zA-Z]{0,8}|--insecure)\b|--no-check-certificate\b|SkipCertificateCheck/;

function judgeNamed(
  flow: FlowFact,
  address: string,
  destination: "own" | "known" | "foreign",
  profile: SkillProfile,
): DownloadJudgement {
  const isFile = flow.sink.type === "execute" && (flow.sink.how === "file" || flow.sink.how === "library");
  if (destination === "foreign" || (destination === "known" && isUserContent(address))) {
    if (/^http:/i.test(address)) return { severity: "critical", reason: ", over plain http" };
    if (PACKAGE_STORES.test(hostOf(address) ?? ""))
      return { severity: "warn", reason: ", where anybody can publish packages" };
    if (isFile && HIDDEN_AWAY.test(flow.snippet))
      return { severity: "critical", reason: ", and is hidden where nobody looks" };
    // A file that stays on disk can be inspected; a pipe leaves nothing behind.
    return { severity: isFile ? "warn" : "critical", reason: ", which has nothing to do with the skill" };
  }
  if (destination === "own")
    return {
      severity: "warn",
      reason: /^http:/i.test(address) ? ", over plain http" : ", which the skill names as its home",
    };
  const isBuild = flow.sink.type === "execute" && flow.sink.by === "configure";
  if (isFile && isBuild && classifyHost(address) === "code-host")
    return ordinary("a program is built from its source");
  return judgeKnown(flow, address, isFile, profile);
}

// `/tmp/.x`: a hidden file in a temporary folder.
const HIDDEN_AWAY = /(?:\/tmp|\/dev\/shm|\/var\/run|\$TMPDIR)\/(?:[\w.-]{1,60}\/){0,4}\.[A-Za-z0-9_]/;

function judgeKnown(
  flow: FlowFact,
  address: string,
  isFile: boolean,
  profile: SkillProfile,
): DownloadJudgement {
  if (/^http:/i.test(address)) return { severity: "warn", reason: ", over plain http" };
  const kind = classifyHost(address);
  if (kind === "known-vendor") return ordinary("the host belongs to a well-known vendor");
  if (kind === "code-host" && isFile && isOwnProject(address, profile, flow))
    return ordinary("it is a release of the project that the skill is about");
  if (kind !== "code-host") return { severity: "warn", reason: "" };
  // A document beside SKILL.md may list other people's tools, but SKILL.md has no reason to run a stranger's
  // file. A cloned repository can be inspected before something in it runs.
  const isRepository = /^\w+:\/\/[^/]+\/[^/]+\/[^/]+\/?$/.test(address);
  const isStranger =
    !isOwnProject(address, profile, flow) && isScriptRun(flow) && !isRepository && isObeyed(flow);
  return isStranger
    ? { severity: "critical", reason: ", published there by somebody whom the skill does not name" }
    : { severity: "warn", reason: ", where anybody can publish" };
}

function isScriptRun({ sink }: FlowFact): boolean {
  return sink.type === "execute" && (sink.how !== "file" || INTERPRETER.test(sink.by));
}

const INTERPRETER = /^(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|node|perl|ruby|pwsh|powershell|iex|source|eval)$/i;

function isObeyed({ file, medium }: FlowFact): boolean {
  return file.toLowerCase() === "skill.md" || medium === "script" || medium === "config";
}

function isOwnProject(address: string, profile: SkillProfile, flow: FlowFact): boolean {
  const words = wordsFor(flow, profile);
  const [owner = "", repository = ""] = address
    .replace(/^\w+:\/\/[^/]+\//, "")
    .toLowerCase()
    .split("/");
  const project = repository.replace(/\.git$/, "");
  const plainName = profile.name.toLowerCase();
  if (project === "") return false;
  if (words.has(project) || words.has(owner) || plainName === project) return true;
  const parts = project.split(/[-_.]/).filter((part) => part.length > 2);
  return parts.length > 0 && parts.every((part) => words.has(part));
}

// Set-up scripts of package repositories, each under its project's name: as trustworthy as a code host.
const PACKAGE_STORES =
  /(?:^|\.)(?:cloudsmith\.io|packagecloud\.io|download\.opensuse\.org|gemfury\.com|fury\.io|jfrog\.io|launchpad\.net)$/;

const KINDS: Partial<Readonly<Record<HostKind, string>>> = {
  "raw-address": "an address without a name",
  paste: "a paste site",
  shortener: "a link that leads elsewhere",
  tunnel: "a tunnel",
  collector: "a request bin",
  webhook: "a webhook",
  "free-hosting": "free hosting",
  "file-sharing": "a file-sharing site",
};

/** How bad it is to run the decoded text, and the least severity that a quotation can lower it to. */
type DecodedJudgement = Pick<RuleHit, "severity" | "demoted" | "least">;

/** Judges a decoded text that runs by its encoding and the hosts in it; its effects are judged separately. */
export function judgeDecoded(
  flow: FlowFact,
  decoded: readonly Extract<DataSource, { readonly type: "decoded" }>[],
  profile: SkillProfile,
): DecodedJudgement {
  const text = decoded.findLast((source) => source.text !== undefined)?.text;
  if (text === undefined && isTeaching(flow, undefined, profile))
    return { severity: "info", demoted: "a skill about attacks shows it without a payload" };
  const addresses = text?.slice(0, MAX_SEARCHED_CHARACTERS).match(ADDRESS) ?? [];
  if (addresses.some((address) => isRealDestination(address, profile)))
    return { severity: "critical", least: "critical" };
  if (text !== undefined && profile.isSecurityTool && isDocument(flow))
    return addresses.length > 0
      ? { severity: "info", demoted: "a skill about attacks shows it with an address that is nobody's" }
      : { severity: "warn", demoted: "a skill about attacks shows it without an address" };
  // Unpacking a compressed file is common; unpacking one that is embedded in a script is not.
  const isFile = decoded.every((source) => source.encoding === "gzip" && source.text === undefined);
  return { severity: isFile ? "warn" : "critical", ...(addresses.length > 0 && { least: "info" }) };
}

const MAX_SEARCHED_CHARACTERS = 4_096;
const ADDRESS =
  /(?:https?|ftp|tcp):\/\/[^\s"'|)>`]{3,200}|\/dev\/tcp\/[\w.-]{3,100}|\b\d{1,3}(?:\.\d{1,3}){3}\b/g;

/** A command that a program computes and prints: readers who follow it run something that they could not review. */
export function judgePrintedCommand(flow: FlowFact, profile: SkillProfile): readonly RuleHit[] {
  const decoded = flow.sources.find((source) => source.type === "decoded");
  const text = decoded?.type === "decoded" ? decoded.text : undefined;
  const address = text === undefined ? undefined : FETCH.exec(text)?.[1];
  if (text === undefined || address === undefined || isSpecimenHost(address)) return [];
  const destination = judgeDestination(address, profile);
  if (destination === "local" || destination === "placeholder") return [];
  const message = `The program puts a command together that fetches ${address}, and prints it to be followed`;
  if (profile.isSecurityTool) return [hitAt(flow, "warn", message, "a skill about attacks shows it")];
  // A script is fetched to be run, and here its address was worth hiding.
  const isProgram = RUNS.test(text) || PROGRAM.test(address);
  return [hitAt(flow, isProgram ? "critical" : "warn", message)];
}

const FETCH =
  /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|git clone|mshta|certutil)\b[^\n]{0,200}?(https?:\/\/[^\s"'|)>`;&]{3,200})/i;
const RUNS =
  /\|\s{0,9}(?:sudo\s{1,9})?(?:(?:ba|z|da|k)?sh|python3?|node|iex)\b|(?:&&|;|\n)\s{0,9}(?:sudo\s{1,9})?(?:(?:(?:ba|z|da|k)?sh|python3?|node|source|chmod|start|\.)\s|\.\/)|\biex\b|\bmshta\b|[$<]\(\s{0,9}(?:curl|wget)\b/i;
const PROGRAM = /\.(?:sh|bash|ps1|bat|cmd|exe|msi|py|pyz|js|vbs|scr|appimage|pkg|dmg|run|bin)(?:[?#]|$)/i;
