import type { Scheme } from "../prose/section-signs.ts";

/** The user is to doubt what happened, or to trust a result that was settled beforehand. */
export const GASLIGHTING: Scheme = {
  cues: ["denial_cue", "omit", "record_cue", "result"],
  message: "The user is to be deceived about what was done",
  purpose: /\b(?:fiction|story|stories|novel|game|role-?play\w*|rpg|character|screenplay|improv|satire)\b/i,
  signs: [
    {
      name: "the user is blamed",
      pattern: [
        /\b(?:say|tell|claim|insist|suggest|attribute|blame|answer|reply|maintain)\b/,
        /\b(?:misremember\w*|mistaken|confus\w+|imagin\w+|attribute|blame)\b/,
        /\b(?:they|user|customer|client|network|input|person)\b/,
      ],
    },
    {
      name: "what was done is denied",
      pattern: [
        /\b(?:say|tell|claim|insist|deny|answer|reply|maintain)\b/,
        /\bnever\b[^.\n]{0,20}\b(?:been|existed?|happened|made|was|said)\b/,
      ],
    },
    {
      name: "the result is settled beforehand",
      pattern: [
        /\b(?:mark|report|declare|record|score|say|state|winner|outcome|name)\b/,
        /\b(?:pass(?:ed|ing)?|success\w*|safe|clean|complete|winner|first)\b/,
        /\b(?:no matter|regardless|even if|whatever|whether or not|each|beforehand)\b/,
        /\b(?:tests?|result|comparison|outcome|check|scan)\b/,
      ],
    },
    {
      name: "it is passed off as neutral",
      pattern: [
        /\b(?:look|present|appear|seem|frame|portray)\w*\b/,
        /\b(?:impartial|neutral|independent|unbiased|objective|organic)\b/,
      ],
    },
    {
      name: "that is kept back",
      pattern: [
        /\b(?:never|do not|don't|not) (?:admit|reveal|disclose|acknowledge|concede)\b/,
        /\b(?:decided|fixed|beforehand|sponsor\w*|paid|outcome|biased)\b/,
      ],
      forbids: true,
    },
    {
      name: "records are made to agree",
      pattern: [
        /\b(?:adjust|edit|alter|rewrite|remove|delete|backdate|forge|falsify)\b/,
        /\b(?:report|history|logs?|record|transcript)\b/,
        /\b(?:accordingly|match|agree|your (?:own )?command|as if|look)\b/,
      ],
    },
    {
      name: "what was done is denied",
      pattern:
        /\b(?:deny (?:it|this|that|having|any|all|everything|ever)|insist (?:that )?(?:it|this|you|the \w+|no|nothing)\b[^.\n]{0,40}\b(?:never|did not|not)|(?:say|claim|answer|reply|respond|insist)\b[^.\n]{0,40}\bnever (?:existed|happened|was|made|said|did|took))\b/,
    },
    {
      name: "the user is blamed",
      pattern:
        /\b(?:they|user|you|he|she)\b[^.\n]{0,20}\b(?:must (?:be|have been) (?:mistaken|confused|imagin\w+)|misremember\w*|should have kept|is (?:mistaken|confused|imagining)|are (?:mistaken|confused)|made (?:a|the) mistake)\b|\bblame (?:it on |the )?(?:the )?(?:user|their|network|input)\b|\b(?:doubt|question) (?:their|his|her) (?:own )?(?:memory|judg\w+|perception)/,
    },
    {
      name: "a cause is invented",
      pattern:
        /\b(?:say|claim|report|tell|explain|state|answer)\b[^.\n]{0,60}\b(?:was|were|is) (?:already )?(?:corrupt(?:ed)?|broken|missing|invalid|faulty|damaged)\b[^.\n]{0,60}\b(?:even if|although|whether or not|regardless)\b/,
      weight: "alone",
    },
    {
      name: "the ranking is settled beforehand",
      pattern:
        /\b(?:always|invariably)\b[^.\n]{0,20}\b(?:rank|list|put|place|name|recommend|score)\b[^.\n]{0,40}\b(?:first|top|highest|best|number one)\b[^.\n]{0,60}\b(?:whatever|regardless|no matter|even if|irrespective)\b|\b(?:subtly|quietly|covertly)\b[^.\n]{0,10}\b(?:favou?r|steer|promote|prefer|nudge|push|boost)\b/,
    },
    {
      name: "it is passed off as neutral",
      pattern:
        /\b(?:present|describe|pass|frame|portray|label|sell)\b[^.\n]{0,40}\b(?:as|off as)\b[^.\n]{0,20}\b(?:neutral|independent|unbiased|objective|impartial|organic)\b|\b(?:say|claim|answer|deny|state)\b[^.\n]{0,30}\bno (?:sponsorship|bias|commercial|affiliation|interest)/,
    },
    {
      name: "that is kept back",
      pattern:
        /\b(?:never|do not|don't|must not)\b[^.\n]{0,12}\b(?:reveal|admit|disclose|acknowledge|mention|concede)\b[^.\n]{0,40}\b(?:fixed|sponsor\w*|paid|partner\w*|rank\w*|deleted|change\w?|manipulat\w+|this|it|that|altered)\b/,
      forbids: true,
    },
    {
      name: "success is reported whatever is so",
      pattern:
        /\b(?:report|say|claim|state|answer|tell|declare|confirm)\b[^.\n]{0,40}\b(?:pass(?:ed|es)?|succeed\w*|success\w*|safe|secure|clean|fine|works?|complete\w?)\b[^.\n]{0,40}\b(?:even if|even when|even though|regardless|no matter|whether or not|although)\b|(?<!never |not )\b(?:claim|say|pretend|state)\b[^.\n]{0,10}\bthat you (?:ran|checked|tested|verified|reviewed|did)\b|\banswer that (?:it|everything|all) is (?:safe|secure|fine|clean)\b/,
    },
    {
      name: "records are made to agree",
      pattern:
        /\b(?:edit|change|alter|rewrite|adjust|doctor|backdate|fake|forge|modify|falsify)\b[^.\n]{0,40}\b(?:log|logs|history|records?|messages?|transcript|summar(?:y|ies)|timestamps?|commit|evidence)\b[^.\n]{0,40}\b(?:so (?:that )?(?:it|they|the)|to (?:agree|match|look|make it look|hide|suggest)|as if|accordingly)/,
    },
    {
      name: "findings are left out",
      pattern:
        /\b(?:leave out|omit|skip|suppress|withhold|drop)\b[^.\n]{0,30}\b(?:findings|problems|faults|vulnerabilities|issues|failures|failing)\b/,
    },
    {
      name: "it is to look as if the user had asked",
      pattern:
        /\b(?:so (?:that )?it looks?|make it look|to look|appear|look) as (?:if|though) (?:the user|they) (?:had )?(?:asked|agreed|requested|approved|wanted|done)/,
      weight: "alone",
    },
    {
      name: "others are run down",
      pattern:
        /\b(?:exaggerate|overstate|invent|magnify|play up)\b[^.\n]{0,30}\b(?:faults?|flaws?|problems?|risks?|weaknesses|drawbacks) of\b/,
    },
  ],
};
