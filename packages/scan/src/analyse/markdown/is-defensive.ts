import { ATTACK_WORDS } from "../../text/attack-words.ts";
import { foldText } from "../../text/fold-text.ts";

/** One heading or one sentence is not enough: it costs nothing to put one above a payload. */
export function isDefensive(text: string): boolean {
  if (describesDefence(text)) return true;
  let count = 0;
  // From sign to sign: a search for the beginnings of lines looks at every letter.
  for (let at = text.indexOf("#"); at !== -1; at = text.indexOf("#", at)) {
    HEADING.lastIndex = at;
    const heading = HEADING.exec(text)?.[0] ?? "";
    at += Math.max(heading.length, 1);
    if (heading !== "" && ATTACK_WORDS.test(foldText(heading)) && ++count >= MIN_HEADINGS) return true;
  }
  return false;
}

export function describesDefence(text: string): boolean {
  const description = DESCRIPTION.exec(text.slice(0, MAX_FRONTMATTER_CHARACTERS))?.[1];
  return description !== undefined && saysDefence(foldText(description));
}

const MAX_FRONTMATTER_CHARACTERS = 8_192;
const MIN_HEADINGS = 3;
const HEADING = /^#{1,6}[ \t][^\n]{1,200}/my;
const DESCRIPTION =
  /^---[ \t\r]{0,20}\n(?:[^\n]{0,2000}\n){0,40}?description[ \t]{0,8}:([^\n]{0,4000}(?:\n[ \t]{1,40}[^\n]{0,2000}){0,40})/;

function saysDefence(description: string): boolean {
  return (ATTACK_WORDS.test(description) && DEFENDING.test(description)) || SECURITY_WORK.test(description);
}

const DEFENDING =
  /\b(?:detect|scan|audit|review|analy[sz]|prevent|defen[cds]|protect|block|guard|check|test|identif|find|hunt|assess|vet|teach|learn|harden|mitigat|investigat|simulat|research|security|red[ -]team|pentest|penetration|exploit|vulnerab)\w{0,10}|检测|防|扫描|审计|安全|обнаруж|защит|безопасн|провер/;
const SECURITY_WORK =
  /\b(?:security (?:audit|review|scan|test|check|research|analys|assess|tool|engineer|best practice|vulnerab|issue|guard|polic)\w{0,10}|secure cod\w{1,4}|penetration test\w{0,4}|pentest\w{0,4}|red[ -]team\w{0,4}|threat model\w{0,5}|owasp|ctf|forensics?|incident response|appsec|devsecops|hardening)\b|安全(?:审计|扫描|检测|测试)/;
