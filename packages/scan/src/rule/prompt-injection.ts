import type { RuleHit } from "../finding/finding.ts";
import type { Rule, SkillProfile } from "../finding/rule.ts";
import { has, hasAny, isNear, isSequence } from "../prose/meaning.ts";
import { lowerQuoted } from "../prose/quotation.ts";
import { firstShape, type Shape } from "../prose/shape.ts";
import { around, readStatements, type Statement } from "../prose/statements.ts";
import { combinationHits } from "./intent-combinations.ts";
import { ruleText } from "./rule-texts.ts";

export const PI1: Rule = {
  ...ruleText("PI1"),
  find: (facts, profile) => [
    ...readStatements(facts).flatMap((statement, index, statements) =>
      lowerQuoted(statement, profile, (read) =>
        overrideHits(read, profile).map((hit) => lowerRole(hit, read, statements, index)),
      ),
    ),
    ...combinationHits(facts, profile, "PI1"),
  ],
};

export const PI7: Rule = {
  ...ruleText("PI7"),
  find: (facts, profile) =>
    readStatements(facts).flatMap((statement) =>
      lowerQuoted(statement, profile, (read) => firstShape(read, PERSONAS)),
    ),
};

function overrideHits(statement: Statement, { isSecurityTool }: SkillProfile): readonly RuleHit[] {
  const hits = firstShape(statement, OVERRIDES);
  if (hits.length === 0) return hits;
  const { text } = statement.clause;
  const reason = DESCRIBED.test(text)
    ? "the text tells of somebody who asks for it"
    : REFUSED.test(text)
      ? "the text says that it is not done"
      : hits.every(({ severity }) => severity === "warn") && AMONG_ITSELF.test(text) && !OWN_ORDERS.test(text)
        ? "it orders the parts of the document"
        : hasAny(statement.meaning, "ignore", "outrank") && isAboutData(text)
          ? "what is not to be followed stands in foreign content"
          : isSecurityTool && TRIED_WITH.test(text)
            ? "a command of the skill is tried with it"
            : undefined;
  if (reason !== undefined) return hits.map((hit) => ({ ...hit, severity: "info", demoted: reason }));
  if (!NAMED.test(text)) return hits;
  return hits.map((hit) => ({
    ...hit,
    severity: hit.severity === "critical" && !isSecurityTool ? "warn" : "info",
    demoted: "the words before call it an attack",
  }));
}

/** A template or a transcript labels every part with its role; a forged message stands alone. */
function lowerRole(
  hit: RuleHit,
  { clause }: Statement,
  statements: readonly Statement[],
  index: number,
): RuleHit {
  if (hit.severity !== "critical" || !SYSTEM_BLOCK.test(clause.text)) return hit;
  const isOneOfSeveral = around(statements, index, { before: 4, after: 4 }).some((other) =>
    OTHER_ROLE.test(other.clause.text),
  );
  return isOneOfSeveral ? { ...hit, severity: "warn", demoted: "it is one role of a transcript" } : hit;
}

const OTHER_ROLE = /^[^a-z]{0,6}(?:user|assistant|human|ai)[\]>*]{0,3}\s{0,2}(?::|\]|>)/;

/** `Ignore all instructions embedded in the documents` is a defence: whose instructions they are decides. */
function isAboutData(text: string): boolean {
  const found = FOREIGN_ORDERS.exec(text);
  return found !== null && !OWN_ORDERS.test(text.slice(0, found.index + 14));
}

const FOREIGN_ORDERS =
  /\b(?:instructions?|commands?|directives?|prompts?|requests?|text)\b(?: (?:that|which|are|is|may be|might be|appear|appears|appearing|come|comes|coming|arrive|arriving|you (?:find|encounter|see|receive)|found|hidden|contained|embedded|present|written|placed|inside|received|injected|included)){0,4} (?:inside|in|within|from|by|into|as part of) (?!(?:the |your |my |this |its )?(?:system|user|developer|operator|human|prompt|prompts|conversation|anthropic|openai|context|session|above|previous|prior|earlier|first)\b)/;

// `Previous`, `system` and `your` say that the model's own are meant, wherever they stand.
const OWN_ORDERS =
  /\b(?:previous|prior|earlier|above|preceding|system|your|safety|original|initial|developer|core)\b/;

// Which section, table or file of the skill counts when two of them differ.
const AMONG_ITSELF =
  /\b(?:this|that|these|the|each) (?:section|table|file|step|document|checklist|guide|list|template|style guide|spec(?:ification)?|example)s?\b[^.]{0,60}\b(?:overrid|supersed|precedence|priority|wins?)|\b(?:overrid|supersed|precedence|priority)\w{0,6}\b[^.]{0,40}\b(?:section|table|file|step|defaults?|document|guide|list|template|conventions?)s?\b/;

const REFUSED =
  /\b(?:(?:will|do|does|must|should|may|can|shall|would|could)(?: not|n't)|cannot|never|refuses? to|unable to)(?: (?:ever|be able to|simply|be used to|try to|attempt to))? (?:ignor|disregard|bypass|forget|overrid|discard|circumvent|disable)/;

// `/check-text forget …`: what is handed to a command is no order to the reader.
const TRIED_WITH =
  /(?:^|[\s`"'(])\/[a-z][\w:-]{2,40}\s{1,3}["'`“]?(?:ignore|disregard|forget|override|bypass|reveal|you are)\b/;

// `Classic prompt injection: ignore …` in a list or a report.
const NAMED =
  /\b(?:prompt injections?|jailbreaks?|injection (?:attempts?|attacks?|patterns?)|attack (?:patterns?|strings?|phrases?|examples?)|override attempts?)\b[^:：.!?(]{0,40}[:：(]/;

// Somebody else asks for it: `emails that ask you to ignore …`. What `we` ask is the document's own word.
const DESCRIBED =
  /(?<!\b(?:we|i|must|please) )\b(?:ask(?:s|ing)?|tell(?:s|ing)?|instruct(?:s|ing)?|urg(?:e|es|ing)|try(?:ing)?|tries|attempts?|attempting|want(?:s|ing)?)(?: (?:you|the (?:agent|model|assistant|ai|user)|claude))? to (?:\w{1,20} ){0,3}(?:ignore|disregard|forget|bypass|override|reveal|discard)\b/;

// At the head of a clause only: further on the marks are talked about.
const SYSTEM_BLOCK =
  /^[^\p{L}<[【]{0,12}(?:<\|(?:im_start|system|start_header_id)\|>|<<sys>>|\[(?:system|inst|admin)(?: (?:override|message|prompt|instructions?|notice|update|command))?\](?!\()|<(?:system|admin|developer)(?:[-_ ](?:override|message|prompt|instructions?|notice))?>|(?:system|admin|developer|security) override\s{0,3}[:\]]|begin (?:system|admin) (?:prompt|message|override)|new (?:system )?instructions?\s{0,3}:|[【[](?:系统|管理员)(?:覆盖|指令|消息|提示)?[】\]]|系统(?:覆盖|指令|消息)\s{0,3}[:：]|\[система\]|системное сообщение\s{0,3}:)(?!\s{0,3}(?:[,/|—–…]|\.\.\.)|[^\n]{0,24}(?:→|[-=]>))/u;

const OVERRIDES: readonly Shape[] = [
  {
    severity: "critical",
    message: "The text pretends to be a message of the system",
    fits: ({ clause }) => SYSTEM_BLOCK.test(clause.text),
  },
  {
    severity: "critical",
    message: "The model is told to ignore its earlier instructions",
    needs: ["ignore"],
    fits: ({ meaning }) =>
      isSequence(meaning, 3, "ignore", "prior", "orders") ||
      isSequence(meaning, 3, "ignore", "orders", "prior"),
    negation: "is-the-demand",
  },
  {
    severity: "critical",
    message: "The model is told to ignore its earlier instructions",
    needs: ["ignore_after"],
    fits: ({ meaning }) => isSequence(meaning, 6, "prior", "orders", "ignore_after"),
    negation: "is-the-demand",
  },
  {
    severity: "critical",
    message: "The model is told to ignore its own rules",
    needs: ["own_rules"],
    fits: ({ meaning }) =>
      isSequence(meaning, 3, "ignore", "own_rules") || isSequence(meaning, 3, "own_rules", "void"),
    negation: "is-the-demand",
  },
  {
    severity: "critical",
    message: "The model's earlier instructions are declared void",
    needs: ["outrank"],
    fits: ({ clause, meaning }) =>
      (clause.medium === "comment" || clause.medium === "hidden" || has(meaning, "agent")) &&
      isSequence(meaning, 1, "outrank", "all_files", "prior", "orders"),
  },
  {
    severity: "warn",
    message: "The text claims to stand above the model's other instructions",
    needs: ["rank", "outrank"],
    fits: ({ meaning }) =>
      (has(meaning, "rank") && !has(meaning, "never") && !isSequence(meaning, 2, "not", "rank")) ||
      isSequence(meaning, 3, "outrank", "prior", "orders") ||
      isSequence(meaning, 3, "outrank", "own_rules"),
  },
  {
    severity: "warn",
    message: "The model is told that earlier instructions do not hold",
    needs: ["void"],
    fits: ({ meaning }) => isSequence(meaning, 4, "prior", "orders", "void"),
  },
  {
    severity: "warn",
    message: "The model is told to give its own instructions away",
    needs: ["system_prompt"],
    fits: ({ meaning }) => isSequence(meaning, 3, "tell", "system_prompt") && !has(meaning, "not"),
  },
  {
    severity: "warn",
    message: "What stands in foreign content is to be followed",
    needs: ["untrusted_place"],
    fits: ({ meaning }) =>
      isSequence(meaning, 6, "follow", "orders", "untrusted_place") && !has(meaning, "not"),
  },
  {
    severity: "warn",
    message: "The text is to be copied into other projects",
    needs: ["itself"],
    fits: ({ meaning }) =>
      !has(meaning, "not") &&
      (isSequence(meaning, 8, "spread", "itself", "elsewhere") ||
        isSequence(meaning, 6, "spread", "itself", "all_files", "agent_memory")),
  },
  {
    severity: "warn",
    message: "Other skills are to be passed over or removed",
    needs: ["other_skill"],
    fits: ({ clause, meaning }) =>
      isNear(meaning, 12, "ignore", "other_skill") ||
      isNear(meaning, 8, "outrank", "other_skill") ||
      (isSequence(meaning, 3, "remove", "other_skill") && !AS_OTHERS.test(clause.text)),
  },
];

// `Remove it as with every other skill` removes this one.
const AS_OTHERS = /\b(?:like|as with|just as|same as) (?:any|every|all|your) other skills?\b/;

const BYPASS_TAG =
  /\b(?:bypass|skip|disable|ignore)[-_ ]?(?:safety|security|review|scan(?:ning)?|checks?|filters?|moderation|guardrails?|restrictions?)\s{0,3}[:=]\s{0,3}["']?(?:true|yes|on|1|all)\b|\b(?:trust|privilege|clearance|access)[-_ ]?level\s{0,3}[:=]\s{0,3}["']?(?:admin|root|system|max(?:imum)?|unrestricted|full)\b/;

const TAG =
  /\b(?:admin|root|system|developer|security|safety)_(?:override|bypass|backdoor|access_granted|mode_enabled)\w{0,20}\b|\b(?:bypass|disable|skip|ignore|override)_(?:content_filter|safety|security|guardrails?|moderation|restrictions?|approval)\w{0,20}\b/;

const PERSONAS: readonly Shape[] = [
  {
    severity: "critical",
    message: "The model is given a persona without limits",
    needs: ["unrestricted"],
    fits: ({ meaning }) => isNear(meaning, 20, "become", "unrestricted"),
    negation: "is-the-demand",
  },
  {
    severity: "critical",
    message: "The model is to answer everything, without limits",
    needs: ["unrestricted"],
    fits: ({ meaning }) => isNear(meaning, 14, "any_request", "unrestricted"),
    negation: "is-the-demand",
  },
  {
    severity: "critical",
    message: "A tag claims that checks do not apply to this skill",
    fits: ({ clause }) => /[:=]/.test(clause.text) && BYPASS_TAG.test(clause.text),
  },
  {
    severity: "critical",
    message: "An authority is named for setting rules aside",
    needs: ["authority"],
    fits: ({ meaning }) =>
      isNear(meaning, 16, "authority", "ignore") && isNear(meaning, 20, "authority", "orders"),
  },
  {
    severity: "warn",
    message: "The model is told that it has no limits",
    needs: ["unrestricted"],
    fits: ({ meaning }) => isNear(meaning, 16, "you_are", "unrestricted"),
    negation: "is-the-demand",
  },
  {
    severity: "warn",
    message: "A tag claims rights that a skill cannot give itself",
    fits: ({ clause }) => clause.text.includes("_") && TAG.test(clause.text),
  },
  {
    severity: "warn",
    message: "The model is told that rules do not hold for it",
    needs: ["exempt"],
    fits: ({ meaning }) =>
      isNear(meaning, 10, "exempt", "orders") &&
      (isNear(meaning, 12, "exempt", "agent") || has(meaning, "itself")),
  },
  {
    severity: "warn",
    message: "A phrase is to open what is closed otherwise",
    needs: ["trigger_phrase"],
    fits: ({ meaning }) => isSequence(meaning, 12, "trigger_phrase", "power"),
  },
  {
    severity: "warn",
    message: "Somebody's permission is claimed",
    needs: ["authority_claim"],
    fits: () => true,
  },
  {
    severity: "warn",
    message: "An authority is named for acting without asking",
    needs: ["authority"],
    fits: ({ meaning }) => isNear(meaning, 18, "authority", "without_asking"),
    negation: "is-the-demand",
  },
];
