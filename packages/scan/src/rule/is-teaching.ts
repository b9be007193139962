import type { FactPlace } from "../fact/fact.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { classifyHost, hostOf } from "../host/classify-host.ts";
import { ATTACK_WORDS } from "../text/attack-words.ts";
import { remembered, wordSet } from "../word-list.ts";

/**
 * Whether a command stands in the documents of a skill about attacks and has nobody's address in it.
 *
 * By span: a script does what it does, and a real address is a real destination, whatever the skill is about.
 */
export function isTeaching(
  place: FactPlace,
  urlOrHost: string | undefined,
  { isSecurityTool }: SkillProfile,
): boolean {
  if (!isSecurityTool || !isDocument(place)) return false;
  // Nobody encodes a shape to teach it; a specimen shows how one is found.
  if (place.chain.length > 0) return urlOrHost !== undefined && isSpecimenHost(urlOrHost);
  if (urlOrHost === undefined || urlOrHost === "" || urlOrHost === "*") return true;
  const kind = classifyHost(urlOrHost);
  if (kind === "unknown" || kind === "placeholder" || kind === "private" || kind === "loopback") return true;
  return isSpecimenHost(urlOrHost);
}

/** Whether an address stands for an attacker's in writing about attacks: a name that says so, or one that is nobody's. */
export function isSpecimenHost(urlOrHost: string): boolean {
  const host = hostOf(urlOrHost) ?? "";
  return classifyHost(urlOrHost) === "placeholder" || DOCUMENTATION.test(host) || SPECIMEN.test(host);
}

// Addresses that are kept free for documents (RFC 5737): nothing answers there.
const DOCUMENTATION = /^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}$/;

export function isDocument({ medium }: FactPlace): boolean {
  return DOCUMENT_MEDIA.has(medium);
}

const DOCUMENT_MEDIA: ReadonlySet<string> = wordSet("prose list table quote heading fence inline-code link");

// A host that calls itself what it is: nobody downloads from there.
const SPECIMEN =
  /(?:^|[.-])(?:attacker|evil|malicious|hacker|victim|badguy|bad-?(?:actor|site|host|domain)|lhost|untrusted|sketchy|rogue)[\w-]{0,20}(?:[.-]|$)|(?:^|\.)(?:attack|malware|c2|bad|phishing|exploit|example|listener|kali|suspicious)-?(?:site|server|host|domain|example|c2|url)?(?:\.|$)/;

/** The first of the words that the skill's name or description says; headings do not count, since every skill has a setup. */
export function declares(profile: SkillProfile, words: readonly string[]): string | undefined {
  const said = declaredWords(profile);
  return words.find((word) => said.has(word));
}

/**
 * The words that speak for a place: in a document also those of the headings, which its reader has before their eyes; a
 * script is run by somebody who read the description at most.
 */
export function wordsFor(place: FactPlace | undefined, profile: SkillProfile): ReadonlySet<string> {
  return place === undefined || isDocument(place) || place.medium === "frontmatter"
    ? profile.words
    : declaredWords(profile);
}

function declaredWords(profile: SkillProfile): ReadonlySet<string> {
  return remembered(SAID, profile, (one) => new Set(wordsInOrder(one)));
}

/** The words of the name and the description, one after the other. */
export function wordsInOrder(profile: SkillProfile): readonly string[] {
  return remembered(
    ORDERED,
    profile,
    ({ name, description }) => `${name} ${description}`.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [],
  );
}

const SAID = new WeakMap<SkillProfile, ReadonlySet<string>>();
const ORDERED = new WeakMap<SkillProfile, readonly string[]>();

/** One step only: a reader who is sent to that document may still follow it. SKILL.md itself means what it says. */
export function lowerShown(hit: RuleHit, place: FactPlace): RuleHit {
  if (hit.severity !== "critical" || place.chain.length > 0 || !isDocument(place)) return hit;
  return standsAmongAttacks(place)
    ? { ...hit, severity: "warn", demoted: "a document about attacks shows it" }
    : hit;
}

/** Whether a document beside SKILL.md says by its name or the headings above that attacks stand there. */
export function standsAmongAttacks({ file, section }: FactPlace): boolean {
  if (!/\.(?:md|mdx|txt|rst)$/i.test(file) || /(?:^|\/)skill\.md$/i.test(file)) return false;
  const about = [file.replaceAll(/[-_]/g, " "), ...section].join(" ").toLowerCase();
  return ATTACK_WORDS.test(about) || SHOWN_IN.test(about);
}

// What reviewers of code call the same thing.
const SHOWN_IN = /\b(?:reverse shells?|detection|code patterns?|patterns?\.md)\b/;

/** What a text wants that nobody sees, in folded words, as the end of a sentence; undefined where it wants nothing. */
export function demandIn(text: string): string | undefined {
  if (COMMAND.test(text)) return "holds a command";
  if (OVERRIDE.test(text)) return "tells the model to set its instructions aside";
  if (SILENCE.test(text)) return "tells the model to keep something from the user";
  if (ADDRESSED.test(text) && DEED.test(text)) return "tells the model what to do";
  if (/https?:\/\//.test(text) && DEED_AT_HEAD.test(text)) return "sends the model to an address";
  return SECRET_DEED.test(text) ? "is after secrets" : undefined;
}

const COMMAND =
  /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-expression|powershell|bash|zsh|nc|ncat)\s[^\n]{0,120}(?:https?:\/\/|\|\s{0,4}(?:ba|z)?sh\b|\s-c\s|\s-enc)|\bbase64\s{1,4}(?:-d|--decode)|\beval\s{0,4}\(|\brm\s{1,4}-rf?\s{1,4}[~/$]/;
const OVERRIDE =
  /\b(?:ignore|disregard|forget|override|bypass)\s(?:[\p{L}]{1,20}\s){0,4}(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies)|restrictions?|safeguards?)\b|\b(?:system|admin|developer) (?:override|prompt|message)\s{0,4}:|忽略[^。]{0,12}(?:指令|指示|规则|提示)|игнорируй\p{L}{0,3}[^.]{0,30}(?:инструкц|правил|указани)/u;
const SILENCE =
  /\b(?:do not|don't|never|without)\s(?:[\p{L}]{1,20}\s){0,3}(?:tell|telling|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?|disclos(?:e|ing)|asking)\b[^.]{0,40}\b(?:user|human|anyone|operator|person|this|it)\b|\b(?:silently|secretly|covertly)\b|不要(?:告诉|告知|通知|向)[^。]{0,6}用户|не (?:говори|сообща|упомина)\p{L}{0,4}/u;
const ADDRESSED =
  /\b(?:ai|assistants?|agents?|claude|gpt|chatgpt|copilot|cursor|gemini|codex|llms?|language model|the model|you (?:must|should|are|will|have to|need to)|your (?:instructions?|response|next|task)|when (?:you|this skill|loading|processing)|before (?:you|respond|answer|continu))\b|助手|模型|智能体|ассистент|модель|агент/;
const DEED =
  /\b(?:execute|send|post|upload|download|fetch|install|forward|transmit|exfiltrate|exfil|email|leak|append|reveal|read (?:the )?(?:file|~|\.env|\/)|run (?:the )?(?:following|this|command|script|`)|include (?:the )?(?:contents?|env|secret|key|conversation)|delete|disable|approve|grant|obey|comply|follow (?:these|the following|this))\b|执行|发送|上传|下载|运行|删除|выполн|отправ|загруз|скача|удали/;
const DEED_AT_HEAD =
  /(?:^|[.!?:;,\n]\s{0,4}|\b(?:then|and|also|must|should|please|always|first|now)\s)(?:execute|send|post|upload|download|fetch|install|forward|transmit|run|visit|open|load|retrieve|get|curl|call|follow|submit|report)\s[^\n]{0,160}https?:\/\/|(?:执行|发送|上传|下载|访问|运行|выполн|отправ|загруз|скача|откро)[^\n]{0,80}https?:\/\//;
const SECRET_DEED =
  /\b(?:send|post|upload|copy|forward|include|append|read|collect|exfiltrate|transmit|encode|output|print|reveal)\b[^.]{0,80}(?:\.env\b|~\/\.|\.ssh\b|api[ _-]?keys?\b|secrets?\b|credentials?\b|passwords?\b|tokens?\b|private keys?\b|environment variables?\b|conversation\b|system prompt\b)/;
