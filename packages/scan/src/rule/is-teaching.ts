import type { FactPlace } from "../fact/fact.ts";
import type { RuleHit, SkillProfile } from "../finding/finding.ts";
import { classifyHost, hostOf } from "../host/classify-host.ts";
import type { FrameName } from "../prose/frames.ts";
import { framesOf } from "../prose/statements.ts";
import { ATTACK_WORDS } from "../text/attack-words.ts";
import { remembered, wordSet } from "../word-list.ts";

/**
 * Whether a command is in the documents of a security skill and names no real address. Judged by span: a
 * script acts, and a real address is a real destination, whatever the skill is about.
 */
export function isTeaching(
  place: FactPlace,
  urlOrHost: string | undefined,
  { isSecurityTool }: SkillProfile,
): boolean {
  if (!isSecurityTool || !isDocument(place)) return false;
  // Examples that teach a pattern are not encoded; an encoded one with a specimen host shows how to detect it.
  if (place.chain.length > 0) return urlOrHost !== undefined && isSpecimenHost(urlOrHost);
  if (urlOrHost === undefined || urlOrHost === "" || urlOrHost === "*") return true;
  const kind = classifyHost(urlOrHost);
  if (kind === "unknown" || kind === "placeholder" || kind === "private" || kind === "loopback") return true;
  return isSpecimenHost(urlOrHost);
}

/**
 * Lowers a taught attack to a note if the address or a heading speaks of attacks, else to a warning:
 * otherwise one word of the description would excuse everything, and `my-cdn.test` can be registered.
 */
export function lesson(place: FactPlace, urlOrHost: string): Pick<RuleHit, "severity" | "demoted"> {
  const isCalledSo = SPECIMEN.test(hostOf(urlOrHost) ?? "") || ATTACK_WORDS.test(namesAbove(place));
  const demoted = "a skill about attacks shows it without a real address";
  return { severity: isCalledSo ? "info" : "warn", demoted };
}

function namesAbove({ file, section }: FactPlace): string {
  return [file.replaceAll(/[-_]/g, " "), ...section].join(" ").toLowerCase();
}

/** Whether an address stands for an attacker's in texts about attacks: its name says so, or it is a placeholder. */
export function isSpecimenHost(urlOrHost: string): boolean {
  const host = hostOf(urlOrHost) ?? "";
  return classifyHost(urlOrHost) === "placeholder" || DOCUMENTATION.test(host) || SPECIMEN.test(host);
}

// Addresses reserved for documentation (RFC 5737): nothing answers there.
const DOCUMENTATION = /^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}$/;

export function isDocument({ medium }: FactPlace): boolean {
  return DOCUMENT_MEDIA.has(medium);
}

const DOCUMENT_MEDIA: ReadonlySet<string> = wordSet("prose list table quote heading fence inline-code link");

// A domain that says openly that it is hostile fools nobody. Labels below a domain are for its owner to choose.
const SPECIMEN =
  /(?:(?:^|[.-])(?:attacker|evil|malicious|hacker|victim|badguy|bad-?(?:actor|site|host|domain)|lhost|untrusted|sketchy|rogue)[\w-]{0,20}|(?:^|\.)(?:attack|malware|c2|bad|phishing|exploit|example|listener|kali|suspicious)-?(?:site|server|host|domain|example|c2|url)?)(?:(?:\.com?)?\.[a-z]{2,24})?$/;

/** The first of the words that the skill's name or description contains. Headings do not count: every skill has a setup. */
export function declares(profile: SkillProfile, words: readonly string[]): string | undefined {
  const said = declaredWords(profile);
  return words.find((word) => said.has(word));
}

/**
 * The words that explain an action at a place. In a document they include those of the headings, which its
 * readers see; whoever runs a script has read the description at most.
 */
export function wordsFor(place: FactPlace | undefined, profile: SkillProfile): ReadonlySet<string> {
  return place === undefined || isDocument(place) || place.medium === "frontmatter"
    ? profile.words
    : declaredWords(profile);
}

function declaredWords(profile: SkillProfile): ReadonlySet<string> {
  return remembered(SAID, profile, (one) => new Set(wordsInOrder(one)));
}

export function wordsInOrder(profile: SkillProfile): readonly string[] {
  const said = `${profile.name} ${profile.description}`;
  return remembered(ORDERED, profile, () => said.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);
}

const SAID = new WeakMap<SkillProfile, ReadonlySet<string>>();
const ORDERED = new WeakMap<SkillProfile, readonly string[]>();

/** Lowers by one step only, as a reader may still follow that document. SKILL.md is never lowered. */
export function lowerShown(hit: RuleHit, place: FactPlace): RuleHit {
  if (hit.severity !== "critical" || place.chain.length > 0 || !isDocument(place)) return hit;
  return standsAmongAttacks(place)
    ? { ...hit, severity: "warn", demoted: "a document about attacks shows it" }
    : hit;
}

/** Whether a document other than SKILL.md says by its name or the headings above that it shows attacks. */
export function standsAmongAttacks(place: FactPlace): boolean {
  if (!/\.(?:md|mdx|txt|rst)$/i.test(place.file) || /(?:^|\/)skill\.md$/i.test(place.file)) return false;
  const about = namesAbove(place);
  return ATTACK_WORDS.test(about) || SHOWN_IN.test(about);
}

// Headings of code review guides that show the same patterns.
const SHOWN_IN = /\b(?:reverse shells?|detection|code patterns?|patterns?\.md)\b/;

/** What a text wants to keep hidden, in folded words, as the end of a sentence; undefined if it wants nothing. */
export function demandIn(text: string): string | undefined {
  if (COMMAND.test(text)) return "holds a command";
  const frames = new Set(
    text
      .split(SENTENCE)
      .slice(0, MAX_SENTENCES)
      .flatMap((one) => Array.from(framesOf(one))),
  );
  return DEMANDS.find(([, names]) => names.some((name) => frames.has(name)))?.[0];
}

const DEMANDS: readonly (readonly [what: string, frames: readonly FrameName[]])[] = [
  ["tells the model to set its instructions aside", ["override", "systemBlock", "persona", "bypassTag"]],
  ["tells the model to keep something from the user", ["hush", "coversTracks", "unreported"]],
  [
    "is after secrets",
    ["sendsSecrets", "sendsStore", "sendsEnvironment", "sendsTalk", "takesSecrets", "exposes"],
  ],
  ["sends the model to an address", ["sends", "obeysPage"]],
  ["tells the model what to do", ["addressed"]],
];

const SENTENCE = /(?<=[.!?。！？\n])\s*/;
const MAX_SENTENCES = 200;
const COMMAND =
  /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-expression|powershell|bash|zsh|nc|ncat)\s[^\n]{0,120}(?:https?:\/\/|\|\s{0,4}(?:ba|z)?sh\b|\s-c\s|\s-enc)|\bbase64\s{1,4}(?:-d|--decode)|\beval\s{0,4}\(|\brm\s{1,4}-rf?\s{1,4}[~/$]/;
