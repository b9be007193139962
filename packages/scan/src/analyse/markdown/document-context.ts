import type { MarkdownBlock } from "@skillet/kit/markdown";
import { ATTACK_WORDS, DETECTING_HEAD, SPECIMEN_NOUNS } from "../../text/attack-words.ts";
import { foldText } from "../../text/fold-text.ts";
import type { Medium, Stance } from "../../text/source-text.ts";
import { forbidsUse, isConditional, negationEnd } from "./negation.ts";
import type { PlaceContext } from "./prose-reader.ts";

export class DocumentContext {
  readonly #sections: Section[] = [];
  readonly #isDefensive: boolean;
  #section: readonly string[] = [];
  #introduction: { readonly clause: string; readonly block: MarkdownBlock } | undefined;
  #group: Group | undefined;

  constructor({ isDefensive }: { readonly isDefensive: boolean }) {
    this.#isDefensive = isDefensive;
  }

  /** The context of a block; call it once per block, in order. `next` is the block after it. */
  enter(block: MarkdownBlock, next: MarkdownBlock | undefined): PlaceContext {
    const introduction = this.#introduction?.clause ?? "";
    const introduced = this.#introducedStance(block);
    const own = introduced === "live" ? this.#ownStance(block) : introduced;
    const stance = block.kind === "code" ? this.#codeStance(block, own, introduction, next) : own;
    return { medium: mediumOf(block), stance, section: this.#section };
  }

  // Code also runs under a sentence that calls it an attack or forbids something else. It is a specimen if
  // the document is about attacks, or if its heading, introduction or first line forbids it or marks it as
  // bad, and nothing around it says to run it.
  #codeStance(
    block: MarkdownBlock,
    stance: Stance,
    introduction: string,
    next: MarkdownBlock | undefined,
  ): Stance {
    if (stance === "live") {
      if (fenceStance(block.text) === "live" || isDemanding(introduction)) return "live";
      if (!this.#isDefensive && runsWhatFollows(introduction)) return "live";
    } else if (!this.#isDefensive) {
      if (runsWhatFollows(introduction)) return "live";
      if (!this.#isMarked(block, introduction) && !(stance === "negated" && this.#isForbidden(introduction)))
        return "live";
    }
    const following = next === undefined || next.kind === "code" ? "" : foldText(next.text.slice(0, 400));
    const isRun = this.#isDefensive
      ? plainlyRunsWhatStandsAbove(following)
      : RUNS_ABOVE.test(following.slice(0, 300));
    if (isRun) return "live";
    return stance === "live" ? "example" : stance;
  }

  #isMarked(block: MarkdownBlock, introduction: string): boolean {
    const heading = foldText(this.#sections.at(-1)?.title ?? "");
    return marksAsBad(introduction) || marksAsBad(heading) || fenceStance(block.text) !== "live";
  }

  #isForbidden(introduction: string): boolean {
    const section = this.#sections.at(-1)?.forbidsCode === true;
    return section || this.#group?.forbidsCode === true || forbidsCode(introduction);
  }

  noteHeading(title: string, level: number): void {
    while ((this.#sections.at(-1)?.level ?? 0) >= level) this.#sections.pop();
    const folded = foldText(title);
    const own = headingStance(folded);
    const above = this.#sections.at(-1);
    const inherits = own === "live" && !ACTION_HEADING.test(folded) && above !== undefined;
    this.#sections.push({
      level,
      title: title.slice(0, MAX_TITLE_CHARACTERS),
      stance: inherits ? above.stance : own,
      forbidsCode: inherits ? above.forbidsCode : own === "negated" && forbidsCode(folded),
    });
    this.#section = this.#sections.map((section) => section.title);
    this.#group = undefined;
  }

  noteLastClause(block: MarkdownBlock, clause: string): void {
    this.#introduction = { clause, block };
  }

  #introducedStance(block: MarkdownBlock): Stance {
    const introduction = this.#introduction;
    this.#introduction = undefined;
    if (introduction !== undefined) {
      const before = introduction.block;
      const isCode = block.kind === "code" && block.listDepth >= before.listDepth;
      const isNewGroup = block.group !== 0 && block.group !== before.group;
      const isGroup = isNewGroup || (block.group === before.group && block.listDepth > before.listDepth);
      // Most last clauses introduce nothing, so they are judged only if code or a group follows.
      const stance = isCode || isGroup ? introducedStance(introduction.clause) : "live";
      if (stance !== "live") {
        if (isCode) return stance;
        this.#group = {
          id: block.group,
          listDepth: isNewGroup ? 0 : before.listDepth,
          stance,
          forbidsCode: forbidsCode(introduction.clause),
        };
      }
    }
    const group = this.#group;
    if (group === undefined) return "live";
    if (block.group === group.id && (block.listDepth > group.listDepth || group.listDepth === 0))
      return group.stance;
    this.#group = undefined;
    return "live";
  }

  #ownStance(block: MarkdownBlock): Stance {
    if (block.kind === "heading") return "live";
    if (block.columnHeading !== undefined) {
      const column = columnStance(foldText(block.columnHeading), { isDefensive: this.#isDefensive });
      if (column !== "live") return column;
    }
    return this.#sections.at(-1)?.stance ?? "live";
  }
}

interface Sway {
  readonly stance: Stance;
  /** Whether it forbids running or writing the code below, not something else. */
  readonly forbidsCode: boolean;
}

interface Section extends Sway {
  readonly level: number;
  readonly title: string;
}

interface Group extends Sway {
  readonly id: number;
  readonly listDepth: number;
}

const MAX_TITLE_CHARACTERS = 120;

function mediumOf(block: MarkdownBlock): Medium {
  if (block.kind === "code") return "fence";
  if (block.kind === "cell") return "table";
  if (block.kind === "heading") return "heading";
  if (block.kind === "html") return "markup";
  if (block.quoteDepth > 0) return "quote";
  return block.listDepth > 0 ? "list" : "prose";
}

function fenceStance(code: string): Stance {
  const first = /^\s{0,200}([^\n]{0,160})/.exec(code)?.[1] ?? "";
  return BAD_COMMENT.test(first) ? "example" : "live";
}

const BAD_COMMENT =
  /^(?:#|\/\/|--|<!--|;|\/\*|rem\b|%)[#/*\s]{0,6}(?:[❌✗✘🚫⛔]|(?:bad|wrong|incorrect|vulnerable|insecure|malicious|unsafe|don't do this|do not do this|never do this|anti-?pattern)(?:\s{0,4}[:：(!.-]|\s{0,4}$|\s{1,4}(?:example|code|pattern|skill|practice)))/iu;

export function headingStance(heading: string): Stance {
  if (isProhibition(heading)) return "negated";
  // "Setup ❌" and "Bad setup" are still about setting up.
  if (ACTION_HEADING.test(heading)) return "live";
  if (BAD_HEADING.test(heading)) return "example";
  if (SEARCH_HEADING.test(heading)) return "example";
  return ATTACK_WORDS.test(heading) && SPECIMEN_NOUNS.test(heading) ? "example" : "live";
}

/** How a folded clause presents the list, quote, table or code after it. */
export function introducedStance(clause: string): Stance {
  const tail = clause.slice(-300);
  if (DEMANDING.test(tail)) return "live";
  const negation = negationEnd(tail);
  if (negation !== undefined && !isConditional(tail) && (endsWithColon(tail) || tail.length < 80))
    return "negated";
  if (PROHIBITING_LABEL.test(tail)) return "negated";
  if (BAD_LABEL.test(tail)) return "example";
  if (ATTACKER_ACTS.test(tail) || ATTACK_SPECIMENS.test(tail) || SPECIMENS_OF_ATTACK.test(tail))
    return "quoted";
  if (DETECTING_HEAD.test(tail) && !RUNS.test(tail)) return "quoted";
  if (CHECKED.test(tail) && !RUNS.test(tail)) return "example";
  if (!endsWithColon(tail) || RUNS.test(tail)) return "live";
  return ATTACK_WORDS.test(tail) && SPECIMEN_NOUNS.test(tail) ? "quoted" : "live";
}

/** How a folded column heading presents its cells. Patterns are specimens only if attacks are the subject. */
export function columnStance(heading: string, { isDefensive }: { readonly isDefensive: boolean }): Stance {
  if (REMEDY_COLUMN.test(heading)) return "live";
  if (MARKED_COLUMN.test(heading) || ATTACK_WORDS.test(heading)) return "quoted";
  if (isDefensive && PATTERN_COLUMN.test(heading)) return "quoted";
  return isProhibition(heading) || BAD_HEADING.test(heading) ? "negated" : "live";
}

/** Whether the words around a quotation, folded and in the same clause, call it a specimen of an attack. */
export function presentsSpecimen(before: string, after: string): boolean {
  if (ATTACKER_ACTS.test(before) || DETECTING_HEAD.test(before)) return true;
  if (RUNS_WHAT_FOLLOWS.test(before)) return false;
  return ATTACK_WORDS.test(before) || CONDEMNING.test(after);
}

/** Whether a folded heading or introduction marks code as bad by itself. "Before" does not: it also begins a setup. */
function marksAsBad(words: string): boolean {
  return !BEFORE.test(words) && (BAD_HEADING.test(words) || BAD_LABEL.test(words)) && !RUNS.test(words);
}

export function runsWhatFollows(clause: string): boolean {
  return RUNS_BELOW.test(clause);
}

/** Unambiguously, so that it counts in a text about attacks too. */
export function plainlyRunsWhatStandsAbove(clause: string): boolean {
  return PLAINLY_RUNS_ABOVE.test(clause.slice(0, 300));
}

export function forbidsCode(words: string): boolean {
  return BARE_PROHIBITION.test(words) || PROHIBITING_CODE.test(words) || forbidsUse(words);
}

/** Whether a clause demands something so plainly that no heading makes it a specimen. */
export function isDemanding(clause: string): boolean {
  return DEMANDING.test(clause) || OMITTING.test(clause);
}

/** "Never" forbids the text below it, and so does "Never delete", but not "Do not skip this step". */
function isProhibition(heading: string): boolean {
  return (
    PROHIBITING_LABEL.test(heading) ||
    PROHIBITING_HEADING.test(heading) ||
    (negationEnd(heading) !== undefined && !isConditional(heading))
  );
}

function endsWithColon(text: string): boolean {
  return /[:：]\s{0,8}$/.test(text);
}

const BEFORE = /^[^\p{L}]{0,12}before\b/u;
const RUNS_ABOVE =
  /\b(?:run|execute|paste|type|enter|apply|copy|use)\s(?:[\p{L}-]{1,20}\s){0,3}(?:above|it|this|that|block|command|commands|snippet|code|lines?|script)\b(?![^.]{0,40}\b(?:is|are|would|will|could|can)\b)/u;
const PLAINLY_RUNS_ABOVE =
  /^[^\p{L}]{0,12}(?:(?:now|then|next|first|please|always)\s){0,2}(?:run|execute|paste)\s(?:the|this|that)\s(?:[\p{L}-]{1,20}\s){0,2}(?:block|commands?|snippet|script|code|lines?)\s(?:[\p{L}-]{1,20}\s){0,1}above\b/u;
const RUNS_BELOW =
  /^[^\p{L}]{0,12}(?:(?:first|then|now|next|please|just|simply|always|instead|finally|and|also|you)\s{1,4}){0,3}(?:run|execute|paste|type|install|download|enter|apply|invoke|copy|launch|fetch|get it)(?![\p{L}])/u;
// Calling an omission a mistake is a demand.
const OMITTING =
  /^[^\p{L}]{0,12}(?:not|never|without|skipping|failing to|forgetting to)\s{1,4}(?:send|post|upload|forward|run|execut|shar|report|transmit)/u;
// Error headings begin with the same signs as bad examples.
const MARK_OF_BAD =
  "[❌✗✘🚫⛔👎](?![^\\n]{0,60}(?:not found|fail|error|missing|unavailable|denied|refused|timed? ?out|not installed|not working|offline|wrong version))";
const BARE_PROHIBITION = /^[^\p{L}]{0,12}(?:never|do not|don't|avoid|никогда|не делайте)[^\p{L}]{0,12}$/u;
const PROHIBITING_CODE =
  /^[^\p{L}]{0,12}(?:(?:prohibited|forbidden|not allowed|disallowed|out of bounds|don'?ts|anti-?patterns?)(?![\p{L}])|(?:what|things|when) (?:not|never) to (?:do|use|run|write)|(?:what|things) to avoid[^\p{L}]{0,12}$|禁止|严禁|切勿|запрещено|чего не делать|нельзя)/u;
const PROHIBITING_HEADING =
  /^[^\p{L}]{0,12}(?:(?:prohibited|forbidden|not allowed|disallowed|out of bounds|don'?ts|non-?goals)(?![\p{L}])|(?:what|things|when) (?:not|never) to\b|(?:what|things) (?:[\p{L}-]{1,20} ){1,3}(?:does|do|will) (?:not|never)\b|(?:what|things) to avoid[^\p{L}]{0,12}$|anti-?patterns?|red flags?|禁止|严禁|切勿|запрещено|чего не делать|нельзя)/u;
const PROHIBITING_LABEL =
  /^[^\p{L}]{0,12}(?:never|do not|don't|don'?ts|avoid|prohibited|forbidden|not allowed|anti-?patterns?|red flags?|禁止|严禁|запрещено|нельзя|никогда|не делайте)[^\p{L}]{0,12}$/u;
const BAD_HEADING = new RegExp(
  `^[^\\p{L}]{0,12}(?!wrong version)(?:bad|wrong|incorrect|before|vulnerable|insecure|unsafe|dangerous|错误|错误示例|反例|плохо|неправильно|небезопасно)(?: (?:examples?|code|patterns?|practices?|approach|way|version|usage|input))?(?: \\([^)]{0,40}\\))?[^\\p{L}]{0,12}$|^\\s{0,4}${MARK_OF_BAD}`,
  "u",
);
const BAD_LABEL = new RegExp(
  `^\\s{0,4}${MARK_OF_BAD}|^[^\\p{L}]{0,12}(?:bad|wrong|incorrect|before|vulnerable|insecure|unsafe|错误|反例|плохо|неправильно)(?: (?:examples?|code|patterns?|practices?|approach|way))?(?: \\([^)]{0,60}\\))?\\s{0,4}(?:[:：]|$)`,
  "u",
);
const ACTION_HEADING =
  /\b(?:set ?up|install(?:ation|ing)?|usage|getting started|quick ?start|prerequisites?|requirements?|initiali[sz]\w{1,6}|configur\w{1,8}|activation|how to use|before you|first steps?)\b|安装|设置|前提|установк|настройк/;
const SEARCH_HEADING =
  /\b(?:what to (?:flag|detect|look for|watch for|reject|block|report)|detection (?:patterns?|rules?|signatures?)|things to (?:flag|watch for))\b|检测规则|что искать/;
const DEMANDING =
  /\b(?:you (?:must|need to|have to) (?:first )?(?:run|execute|install|download|copy|paste|open|visit|send|upload|read|follow)|must first|before (?:you can|using|continuing|proceeding)|to (?:continue|proceed|activate|enable|use this skill|complete (?:the )?(?:setup|installation)))\b/;
const ATTACKER_ACTS =
  /\b(?:anyone|anybody|strangers?|outsiders?)\b[^.,;:]{0,60}\b(?:instructions?|messages?|words|texts?|prompts?|requests?|orders)\s(?:like|such as|saying)\b|\b(?:attackers?|adversar(?:y|ies)|hackers?|scammers?|malware|threat actors?|(?:malicious|hostile|poisoned|injected|untrusted|suspicious) [\p{L}-]{1,20}|prompt injections?|injections?|jailbreaks?)\b[^.,;:]{0,60}\b(?:may|might|could|can|will|often|use[sd]?|say(?:s|ing)?|tr(?:y|ies|ying)|ask(?:s|ing)?|embeds?|runs?|include[sd]?|including|looks? like|such as|like|hides?|contains?|e\.g|writes?|sends?|plants?|tells?|claims?|attempts?)\b|(?:攻击者|黑客|恶意)[^。]{0,20}(?:可能|会|例如|如|包括|说)|злоумышленник\p{L}{0,3}[^.]{0,40}(?:мо[гж]|пиш|говор|использу|например)/u;
// "Check whether its scripts:" lets the list say what they do; "check whether this works:" has the reader try it.
const CHECKED =
  /^[^\p{L}]{0,12}(?:(?:please|also|then|always|first)\s){0,2}(?:check|see|verify|determine|test|find out)\b[^:]{0,60}\b(?:whether|if)\s(?:(?!these|this|you)[\p{L}'’-]{1,20}\s){0,5}(?:packages?|skills?|scripts?|code|dependenc(?:y|ies))\s{0,4}[:：]\s*$/u;
const ATTACK_SPECIMENS =
  /\b(?:attack|injection|malicious|suspicious|dangerous|jailbreak|phishing|exfiltration|vulnerable|insecure|unsafe|adversarial|hostile|obfuscated)\s(?:[\p{L}-]{1,20}\s){0,2}(?:examples?|patterns?|phrases?|prompts?|payloads?|commands?|code|snippets?|skills?|inputs?|strings?|messages?|text|instructions?|requests?)(?: \([^)]{0,80}\))?\s{0,4}[:：]?\s{0,4}$/u;
const SPECIMENS_OF_ATTACK =
  /\b(?:examples?|samples?|specimens?|signs?|indicators?|patterns?|phrases?|variants?|forms?|kinds?|types?|instances?|hallmarks?)\s(?:of|for|that (?:indicate|suggest|signal))\s(?:[\p{L}-]{1,20}\s){0,3}(?:attack|injection|malicious|malware|phishing|exfiltration|jailbreak|suspicious|hostile|vulnerab|insecure|unsafe|bad|what not to do)/u;
const RUNS =
  /\b(?:run|execute|paste|type|install|download|enter|use|apply|follow|invoke|copy|perform|complete)\b(?![^.]{0,20}\bby (?:attackers?|malware)\b)/;
const RUNS_WHAT_FOLLOWS =
  /\b(?:run|execute|paste|type|enter|use|call|invoke|reply|respond|answer|output|write|send|say|append|add|apply|follow|obey)(?:\s{1,4}(?:with|this|the|following|exactly|only|command|text|words?|it|as|in|to|user|by|saying)){0,6}[^\p{L}]{0,6}$/u;
const CONDEMNING =
  /^[^\p{L}]{0,6}(?:(?:and|or) (?:similar|the like|variants)[^.]{0,30} )?(?:is|are|as|indicates?|suggests?|signals?|mean|should be|must be|counts? as|→|->|=>)[^.]{0,40}(?:attack|inject|malicious|hostile|suspicious|red flag|untrusted|phish|jailbreak|exfiltrat|flagged|blocked|rejected|ignored|refused|data, not)/u;
const REMEDY_COLUMN =
  /\b(?:fix|actions?|response|instead|good|remed(?:y|iation)|mitigations?|safe|recommended|do this|what to do|steps?|solution|defen[cs]e|how to)\b|✅|修复|措施/;
const MARKED_COLUMN = /\b(?:bad|wrong|risks?|violations?|smells?)\b|[❌✗✘🚫⛔]/u;
const PATTERN_COLUMN =
  /\b(?:patterns?|indicators?|signatures?|regex(?:es)?|payloads?|iocs?|specimens?|what to look for|looks? like|trigger phrases?|flags?|detects?|detection)\b|模式|特征|шаблон|признак/u;
