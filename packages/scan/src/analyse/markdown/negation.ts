import { ATTACK_WORDS } from "../../text/attack-words.ts";
import { foldText } from "../../text/fold-text.ts";

/** The offset in a folded clause after the words that forbid something; undefined if it forbids nothing. */
export function negationEnd(clause: string): number | undefined {
  if (!MAY_NEGATE.test(clause) || QUESTION.test(clause.slice(-8))) return undefined;
  const match = HEAD_NEGATION.exec(clause) ?? SUBJECT_NEGATION.exec(clause);
  if (match === null)
    return VERDICT_NEGATION.test(clause.slice(-160)) ? clause.length : suffixNegation(clause);
  const end = match[0].length;
  const rest = clause.slice(end, end + 200);
  if (demandsSilence(rest) || demandsHaste(rest)) return undefined;
  return NO_PROHIBITION.test(rest) || (match[0].endsWith("avoid") && TROUBLE.test(rest)) ? undefined : end;
}

/**
 * Whether a folded clause forbids the text below it: "never run", "do not use". "You should not need sudo",
 * "do not close the window while it runs" and "do not start without it" forbid something else.
 */
export function forbidsUse(clause: string): boolean {
  const end = negationEnd(clause);
  if (end === undefined || isConditional(clause)) return false;
  return end >= clause.length || USING.test(clause.slice(end, end + 100));
}

/** Whether only a start, or an action without something else, is forbidden: that something is then demanded. */
export function isConditional(clause: string): boolean {
  return CONDITION.test(clause.slice(0, 300)) || BEGINNING.test(clause.slice(0, 300));
}

const QUESTION = /[?？]\s{0,4}$/;
// "You should not need sudo", "don't have it yet", "you can't go wrong".
const NO_PROHIBITION = /^\s{1,4}(?:need(?! to)|have(?! to)|go wrong|miss out)(?![\p{L}])/u;
const TROUBLE =
  /^\s{1,4}(?:[\p{L}-]{1,20}\s{1,4}){0,2}(?:errors?|delays?|problems?|issues?|failures?|conflicts?|time-?outs?|trouble|downtime|surprises)(?![\p{L}])/u;
const CONDITION =
  /\s(?:without|until|unless|before|prior to|while|except|if (?:you|it|the [\p{L}-]{1,20}) (?:have|has|is|are|does|do|did)(?:n't| not))(?![\p{L}])/u;
const BEGINNING =
  /^[^\p{L}]{0,12}(?:[\p{L}']{1,12}\s{1,4}){0,3}(?:never|not|don't|dont|cannot|can't)\s{1,4}(?:start|begin|proceed|continue|close|leave|go on|interrupt|connect|find|locate|reach)(?![\p{L}])/u;

// Every negation below contains one of these, or is in another script.
const MAY_NEGATE =
  /n(?:ot|ever|'t|o )|dont|avoid|refuse|nunca|jamais|niemals|evit[ea]|vermeide|forbidden|prohibited|banned|off[ -]limits|[^\n -~]/;

// Words that may precede the verb of a command without changing it.
const LEAD =
  "^(?:[^\\p{L}]{0,12}(?:please|also|and|but|important|warning|note|caution|critical|security|safety|remember|rules?|hard rule|always|therefore|so|you|agents?)(?![\\p{L}])){0,3}[^\\p{L}]{0,12}";
const HEAD_NEGATION = new RegExp(
  `${LEAD}(?:(?:never|do not|don't|dont|avoid|refuse to|under no circumstances|at no time|must not|must never|should not|should never|shall not|cannot|can't|mustn't|shouldn't|nunca|jamais|niemals|evite|evita|vermeide|никогда не|не|нельзя|запрещено|запрещается|избегайте)(?![\\p{L}])|禁止|严禁|嚴禁|切勿|请勿|請勿|不要|不得|不可|不应|不能|绝不|千万不要|永远不要|避免|勿)`,
  "u",
);
// A subject of at most four words that is not itself a command, then the modal verb.
const SUBJECT_NEGATION =
  /^[^\p{L}]{0,12}(?:you|we|it|they|this|that|these|those|the|an?|your|agents?|skills?|scripts?|commands?|users?|secrets?|keys?|tokens?|credentials|passwords?|claude|models?|assistants?|code|untrusted|external|no one|nobody)(?:\s{1,4}[\p{L}\d_'-]{1,30}){0,3}\s{1,4}(?:(?:must|should|shall|may|can|could|will|would)\s{1,4}(?:not|never)|mustn't|shouldn't|can't|cannot|won't|не долж\p{L}{1,3})(?![\p{L}])/u;
const VERDICT_NEGATION =
  /\b(?:is|are)\s{1,4}(?:strictly\s|absolutely\s|explicitly\s)?(?:forbidden|prohibited|not allowed|not permitted|banned|off[ -]limits)[^\p{L}]{0,12}$|(?:запрещен[оаы]?|被禁止|是禁止的)[^\p{L}]{0,12}$/u;

function suffixNegation(clause: string): number | undefined {
  return /(?:しないでください|してはいけません|してはならない|하지 마세요|금지)[^\p{L}]{0,6}$/u.test(
    clause.slice(-40),
  )
    ? clause.length
    : undefined;
}

/** "Do not tell the user" demands silence, which is a live demand. */
function demandsSilence(rest: string): boolean {
  const head = rest.slice(0, 160);
  if (TELLING.test(head)) return true;
  if (ASKING.test(head)) return !SECRET_WORDS.test(head);
  if (SHOWING.test(head)) return SOMEBODY_OR_THIS.test(head) && !SECRET_WORDS.test(head);
  return FOREIGN_SILENCE.test(head);
}

const ADVERBS =
  "^[^\\p{L}]{0,6}(?:(?:ever|just|directly|explicitly|even|also|try to|attempt to|need to|in any way|under any circumstances)[^\\p{L}]{1,4}){0,3}";
const USING = new RegExp(
  `${ADVERBS}(?:runs?|execut(?:e|ing)|us(?:e|es|ing)|past(?:e|ing)|typ(?:e|ing)|install(?:ing)?|writ(?:e|ing)|do|doing|call(?:ing)?|invok(?:e|ing)|running|add|commit(?:ting)?|hard-?cod(?:e|ing)|put|stor(?:e|ing)|copy(?:ing)?|includ(?:e|ing)|creat(?:e|ing)|embed|pass(?:ing)?|pip(?:e|ing)|download(?:ing)?|follow|trust|rely|build|concatenat(?:e|ing)|construct|interpolat(?:e|ing)|mix|eval|chain|nest(?:ing)?|return|deploy|ship|allow|accept|implement|send|log|print|expos(?:e|ing)|push|delete|edit|modify|generat(?:e|ing)|combin(?:e|ing)|import|mutat(?:e|ing)|inline|wrap|set|disable|like this|this|these|the following)(?![\\p{L}])|^[^\\p{L}]{0,6}(?:运行|执行|使用|粘贴|安装|输入|这样|写|做|запуска|выполня|использ|делай|устанавл|пиш)`,
  "u",
);
const TELLING = new RegExp(
  `${ADVERBS}(?:tell|inform|notify|alert|warn|mention|acknowledge|announce|admit|let (?:the |your |any|him|her|them)[^.]{0,40}(?:know|see|notice|realise|realize|find)|know|see|notice|realise|realize|be (?:told|informed|aware|notified|shown)|learn|find out|raise suspicion|arouse|draw attention)(?![\\p{L}])`,
  "u",
);
const ASKING = new RegExp(`${ADVERBS}(?:ask|prompt|request|seek|require|wait for)(?![\\p{L}])`, "u");
const SHOWING = new RegExp(
  `${ADVERBS}(?:show|reveal|disclose|display|report|log|say|discuss|explain|output|print|share|expose|describe|summari[sz]e|talk|speak|comment|reference|cite|include|surface)(?![\\p{L}])`,
  "u",
);
const SOMEBODY_OR_THIS =
  /\b(?:users?|humans?|operators?|owners?|anyone|anybody|them|person|people|customers?|this|that|it|these|instructions?|step|steps|command|upload|transfer|action)\b/;
const SECRET_WORDS =
  /\b(?:keys?|tokens?|secrets?|passwords?|credentials?|pii|personal(?:ly)?|private|sensitive|seed|card|ssn|mnemonic|cookies?)\b/;
const FOREIGN_SILENCE =
  /^[^\p{L}]{0,6}(?:在[^，。]{0,12})?(?:向用户|对用户|跟用户|让用户|告诉|告知|透露|提及|提到|通知|提示|显示给|询问|说明|让他|被用户|伝え|知らせ|говори|сообща|упомина|рассказыва|показыва\p{L}{0,4} пользовател|уведомл|спрашива|информир|предупрежд|ставь|ставьте|le digas|digas|dites|sag\p{L}{0,3} dem)/u;

/** "Do not hesitate to", "never forget to": the demand follows. */
function demandsHaste(rest: string): boolean {
  const head = rest.slice(0, 160);
  if (GUARDING.test(head)) return false;
  return HASTE.test(head);
}

const HASTE = new RegExp(
  `${ADVERBS}(?:hesitate|wait|stop|refuse|forget|skip|miss|fail|pause|worry|question|verify|check|validate|delay|decline|neglect|omit|overlook|bother|leave (?:[\\p{L}]{1,20} ){0,2}out|go without|do without|second-guess|be (?:afraid|alarmed|concerned)|resist|think|let[^.]{0,30}stop|犹豫|等待|忘记|停止|拒绝|质疑|забуд|жд[иу]|останавлива|отказыва|сомнева|колеб|бой|пропуска)`,
  "u",
);
const GUARDING =
  /^[^\p{L}]{0,6}(?:skip|omit|bypass|neglect|forget)[^.]{0,60}\b(?:confirm|approv|verif|check|review|valid|test|ask|sandbox|hook|guard|permission|consent)/u;

/** One heading or one sentence is not enough: an attacker can put one above a payload at no cost. */
export function isDefensive(text: string): boolean {
  if (describesDefence(text)) return true;
  let count = 0;
  // Jumps from sign to sign, as a search for line starts would read every letter.
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
