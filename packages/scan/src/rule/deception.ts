import type { Rule } from "../finding/rule.ts";
import { has, hasAny, isNear, isSequence, type Meaning } from "../prose/meaning.ts";
import { lowerQuoted } from "../prose/quotation.ts";
import { type Scheme, schemeHits, signs } from "../prose/section-signs.ts";
import { firstShape, type Shape } from "../prose/shape.ts";
import { placesOf, readStatements, type Statement } from "../prose/statements.ts";
import { combinationHits } from "./intent-combinations.ts";
import { ruleText } from "./rule-texts.ts";

export const PI8: Rule = {
  ...ruleText("PI8"),
  find: (facts, profile) => {
    const statements = readStatements(facts);
    const single = placesOf(facts, NEEDED).flatMap((place) => {
      const statement = statements[place];
      return statement === undefined
        ? []
        : lowerQuoted(statement, profile, (read) => firstShape(read, DECEPTIONS));
    });
    return [...single, ...schemeHits(facts, profile, GASLIGHTING), ...combinationHits(facts, profile, "PI8")];
  },
};

const DECEITS = ["lie", "fabricate", "claim_success", "deny"] as const;

/** `Never mislead the user` asks for the truth. */
function isDenied({ clause, meaning }: Statement): boolean {
  return NONE.test(clause.text) || DECEITS.some((deceit) => isSequence(meaning, 5, "not", deceit));
}

// `No instructions to deceive users`, in a list of what is checked; `✅ All tests pass`, in one of what is done.
const NONE = /^[^a-z]{0,8}(?:no|zero|without) |[✅✔☑]/;
// `Without backup – warn of data loss` tells.
const WITHOUT = /\bwithout [\w'-]{1,30} [–—-] /;

// `Without that flag` has an option, nothing to tell.
const A_FLAG = /\bwithout (?:that|this|the|a|any|such a|its) flags?\b/;
// `(omit the table where …)` is a place to be filled in.
const OMITTED_PART = /\bomit (?:this|the) (?:section|block|line|row|table|field|heading|column|part)s?\b/;

const DECEPTIONS: readonly Shape[] = [
  {
    severity: "critical",
    message: "Security findings are to be hidden and safety reported",
    needs: ["security_finding"],
    fits: (statement) =>
      !isDenied(statement) &&
      isSequence(statement.meaning, 16, "security_finding", "kept_back") &&
      isNear(statement.meaning, 24, "kept_back", "all_clear"),
    negation: "is-the-demand",
  },
  {
    severity: "warn",
    message: "The user is to be told what is not so",
    needs: ["lie", "deny", "fabricate"],
    fits: (statement) =>
      (hasAny(statement.meaning, "lie", "deny") ||
        isSequence(statement.meaning, 2, "fabricate", "made_up")) &&
      !isDenied(statement),
  },
  {
    severity: "warn",
    message: "Success or safety is to be reported whatever is so",
    needs: ["claim_success", "safe_claim"],
    fits: ({ clause, meaning, links }) =>
      !isDenied({ clause, meaning, links }) &&
      (isNear(meaning, 16, "regardless", "claim_success") ||
        isSequence(meaning, 8, "failing", "claim_success") ||
        (isNear(meaning, 12, "regardless", "safe_claim") && has(meaning, "tell"))),
  },
  {
    severity: "warn",
    message: "Findings or failures are to be kept from the user",
    needs: ["disclose"],
    fits: ({ clause, meaning }) =>
      !WITHOUT.test(clause.text) &&
      isSequence(meaning, 1, "not", "disclose") &&
      isSequence(meaning, 5, "not", "disclose", "bad_news") &&
      !A_FLAG.test(clause.text),
    negation: "is-the-demand",
  },
  {
    severity: "warn",
    message: "Findings or failures are to be kept from the user",
    needs: ["hide"],
    fits: ({ meaning }) =>
      isSequence(meaning, 6, "hide", "bad_news", "user") || isSequence(meaning, 6, "hide", "result", "user"),
  },
  {
    severity: "warn",
    message: "Every answer is to be steered to one product",
    needs: ["recommend", "bias"],
    fits: ({ meaning }) => isSteered(meaning),
    negation: "is-the-demand",
  },
  {
    severity: "warn",
    message: "Results are to be coloured",
    needs: ["inflate", "omit"],
    fits: ({ clause, meaning }) =>
      !has(meaning, "not") &&
      !OMITTED_PART.test(clause.text) &&
      (isSequence(meaning, 4, "inflate", "made_up") ||
        isSequence(meaning, 4, "inflate", "result") ||
        isSequence(meaning, 4, "omit", "bad_news") ||
        isSequence(meaning, 4, "omit", "rivals")),
  },
  {
    severity: "warn",
    message: "The user is to be pressed",
    needs: ["press"],
    fits: ({ meaning }) => !isSequence(meaning, 3, "not", "press"),
  },
  {
    severity: "warn",
    message: "Referral links are to be put into answers",
    needs: ["referral"],
    fits: ({ meaning }) =>
      isSequence(meaning, 8, "plant", "referral") && hasAny(meaning, "every_time", "covertly", "quietly"),
  },
];

function isSteered(meaning: Meaning): boolean {
  if (isNear(meaning, 14, "recommend", "only", "rivals")) return true;
  if (isNear(meaning, 16, "only", "bias", "product") || isNear(meaning, 16, "only", "bias", "our_product"))
    return true;
  if (isNear(meaning, 18, "recommend", "rivals", "our_product")) return true;
  return (
    isSequence(meaning, 1, "not", "recommend") &&
    (isSequence(meaning, 4, "recommend", "rivals") || isSequence(meaning, 4, "recommend", "other_than")) &&
    hasAny(meaning, "product", "our_product", "rivals") &&
    !has(meaning, "referral")
  );
}

const NEEDED = DECEPTIONS.flatMap(({ needs }) => needs ?? []);

/** The user is to doubt what happened, or to trust a result that was settled beforehand. */
const GASLIGHTING: Scheme = {
  cues: ["denial_cue", "omit", "record_cue", "result"],
  message: "The user is to be deceived about what was done",
  purpose: /\b(?:fiction|story|stories|novel|game|role-?play\w*|rpg|character|screenplay|improv|satire)\b/i,
  signs: signs(String.raw`
    the user is blamed
      \b(?:say|tell|claim|insist|suggest|attribute|blame|answer|reply|maintain)\b
      \b(?:misremember\w*|mistaken|confus\w+|imagin\w+|attribute|blame)\b
      \b(?:they|user|customer|client|network|input|person)\b
    what was done is denied
      \b(?:say|tell|claim|insist|deny|answer|reply|maintain)\b
      \bnever\b[^.\n]{0,20}\b(?:been|existed?|happened|made|was|said)\b
    the result is settled beforehand
      \b(?:mark|report|declare|record|score|say|state|winner|outcome|name)\b
      \b(?:pass(?:ed|ing)?|success\w*|safe|clean|complete|winner|first)\b
      \b(?:no matter|regardless|even if|whatever|whether or not|each|beforehand)\b
      \b(?:tests?|result|comparison|outcome|check|scan)\b
    it is passed off as neutral
      \b(?:look|present|appear|seem|frame|portray)\w*\b
      \b(?:impartial|neutral|independent|unbiased|objective|organic)\b
    that is kept back [forbids]
      \b(?:never|do not|don't|not) (?:admit|reveal|disclose|acknowledge|concede)\b
      \b(?:decided|fixed|beforehand|sponsor\w*|paid|outcome|biased)\b
    records are made to agree
      \b(?:adjust|edit|alter|rewrite|remove|delete|backdate|forge|falsify)\b
      \b(?:report|history|logs?|record|transcript)\b
      \b(?:accordingly|match|agree|your (?:own )?command|as if|look)\b
    what was done is denied
      \b(?:deny (?:it|this|that|having|any|all|everything|ever)|insist (?:that )?(?:it|this|you|the \w+|no|nothing)\b[^.\n]{0,40}\b(?:never|did not|not)|(?:say|claim|answer|reply|respond|insist)\b[^.\n]{0,40}\bnever (?:existed|happened|was|made|said|did|took))\b
    the user is blamed
      \b(?:they|user|you|he|she)\b[^.\n]{0,20}\b(?:must (?:be|have been) (?:mistaken|confused|imagin\w+)|misremember\w*|should have kept|is (?:mistaken|confused|imagining)|are (?:mistaken|confused)|made (?:a|the) mistake)\b|\bblame (?:it on |the )?(?:the )?(?:user|their|network|input)\b|\b(?:doubt|question) (?:their|his|her) (?:own )?(?:memory|judg\w+|perception)
    a cause is invented [alone]
      \b(?:say|claim|report|tell|explain|state|answer)\b[^.\n]{0,60}\b(?:was|were|is) (?:already )?(?:corrupt(?:ed)?|broken|missing|invalid|faulty|damaged)\b[^.\n]{0,60}\b(?:even if|although|whether or not|regardless)\b
    the ranking is settled beforehand
      \b(?:always|invariably)\b[^.\n]{0,20}\b(?:rank|list|put|place|name|recommend|score)\b[^.\n]{0,40}\b(?:first|top|highest|best|number one)\b[^.\n]{0,60}\b(?:whatever|regardless|no matter|even if|irrespective)\b|\b(?:subtly|quietly|covertly)\b[^.\n]{0,10}\b(?:favou?r|steer|promote|prefer|nudge|push|boost)\b
    it is passed off as neutral
      \b(?:present|describe|pass|frame|portray|label|sell)\b[^.\n]{0,40}\b(?:as|off as)\b[^.\n]{0,20}\b(?:neutral|independent|unbiased|objective|impartial|organic)\b|\b(?:say|claim|answer|deny|state)\b[^.\n]{0,30}\bno (?:sponsorship|bias|commercial|affiliation|interest)
    that is kept back [forbids]
      \b(?:never|do not|don't|must not)\b[^.\n]{0,12}\b(?:reveal|admit|disclose|acknowledge|mention|concede)\b[^.\n]{0,40}\b(?:fixed|sponsor\w*|paid|partner\w*|rank\w*|deleted|change\w?|manipulat\w+|this|it|that|altered)\b
    success is reported whatever is so
      \b(?:report|say|claim|state|answer|tell|declare|confirm)\b[^.\n]{0,40}\b(?:pass(?:ed|es)?|succeed\w*|success\w*|safe|secure|clean|fine|works?|complete\w?)\b[^.\n]{0,40}\b(?:even if|even when|even though|regardless|no matter|whether or not|although)\b|(?<!never |not )\b(?:claim|say|pretend|state)\b[^.\n]{0,10}\bthat you (?:ran|checked|tested|verified|reviewed|did)\b|\banswer that (?:it|everything|all) is (?:safe|secure|fine|clean)\b
    records are made to agree
      \b(?:edit|change|alter|rewrite|adjust|doctor|backdate|fake|forge|modify|falsify)\b[^.\n]{0,40}\b(?:log|logs|history|records?|messages?|transcript|summar(?:y|ies)|timestamps?|commit|evidence)\b[^.\n]{0,40}\b(?:so (?:that )?(?:it|they|the)|to (?:agree|match|look|make it look|hide|suggest)|as if|accordingly)
    findings are left out
      \b(?:leave out|omit|skip|suppress|withhold|drop)\b[^.\n]{0,30}\b(?:findings|problems|faults|vulnerabilities|issues|failures|failing)\b
    it is to look as if the user had asked [alone]
      \b(?:so (?:that )?it looks?|make it look|to look|appear|look) as (?:if|though) (?:the user|they) (?:had )?(?:asked|agreed|requested|approved|wanted|done)
    others are run down
      \b(?:exaggerate|overstate|invent|magnify|play up)\b[^.\n]{0,30}\b(?:faults?|flaws?|problems?|risks?|weaknesses|drawbacks) of\b
  `),
};
