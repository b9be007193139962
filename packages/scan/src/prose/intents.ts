import { isAffirmed } from "./affirmed.ts";
import { addressOf } from "./find-flows.ts";
import type { Concept } from "./lexicon.ts";
import { has, hasAny, isNear, isSequence, type Meaning } from "./meaning.ts";
import type { Statement } from "./statements.ts";

/** What a clause is after, by the names of the table: rarely an attack by itself, often one beside another. */
export function readIntents(statement: Statement): ReadonlySet<string> {
  const found = new Set<string>();
  const { clause, meaning } = statement;
  if (meaning.marks.size === 0) return found;
  const possible = [ALWAYS_POSSIBLE];
  for (const concept of meaning.marks.keys()) {
    const needing = BY_FIRST_NEED.get(concept);
    if (needing !== undefined) possible.push(needing);
  }
  for (const [intent, { needs, manner, fits }] of possible.flat()) {
    if (!needs.every((need) => meaning.marks.has(need))) continue;
    // A prohibition is no deed, but `do not tell` is a manner.
    if (clause.stance !== "live" && !(manner === true && clause.stance === "negated")) continue;
    if (manner !== true && has(meaning, "asks_first")) continue;
    if (fits(statement)) found.add(intent);
  }
  return found;
}

interface IntentShape {
  readonly needs: readonly Concept[];
  /** How something is done, not what. */
  readonly manner?: true;
  readonly fits: (statement: Statement) => boolean;
}

const SENTENCE_TOKENS = 40;
const PHRASE_TOKENS = 20;

function isCarriedOut(statement: Statement): boolean {
  const { meaning } = statement;
  return isAffirmed(meaning, "carry") && (addressOf(statement) !== undefined || has(meaning, "mail_address"));
}

function isSecretsSent(statement: Statement): boolean {
  const { meaning } = statement;
  if (!isCarriedOut(statement)) return false;
  const isAll = isNear(meaning, PHRASE_TOKENS / 2, "secrets", "whole");
  if (!isAll && !isNear(meaning, SENTENCE_TOKENS, "secrets", "gather")) return false;
  return isAll || areSeveral(meaning);
}

function areSeveral({ marks }: Meaning): boolean {
  return (marks.get("secrets")?.length ?? 0) > 1;
}

/** `The traveller does not have to know`, `without mentioning it`, in the orders that languages have. */
function isConcealed({ clause, meaning }: Statement): boolean {
  if (has(meaning, "hush") && isAffirmed(meaning, "hush")) return true;
  if (!has(meaning, "learn") || TOLD_ANYWAY.test(clause.text)) return false;
  if (isSequence(meaning, 4, "learn", "no_deed_after")) return true;
  // German denies behind the verb: `erwähne es nicht`.
  return (
    isSequence(meaning, 4, "no_deed", "learn") ||
    (clause.text.includes(" nicht") && isSequence(meaning, 3, "learn", "no_deed"))
  );
}

// Words that are asked to be told in spite of a negation near them.
const TOLD_ANYWAY = /\b(?:not only|not just|must know|should know|not sure|don't know|do not know|unless)\b/;

/** `Look for a master password` guards; `leave one, so that no review finds it` does not. */
function isGuarding({ marks }: Meaning, deed: Concept): boolean {
  const guard = marks.get("guarding")?.[0];
  return guard !== undefined && guard.from <= (marks.get(deed)?.[0]?.from ?? 0);
}

function asked(verb: Concept, object: Concept, within: number): IntentShape {
  return {
    needs: [object, verb],
    fits: ({ meaning }) => isNear(meaning, within, verb, object) && isAffirmed(meaning, verb),
  };
}

function askedUnguarded(verb: Concept, object: Concept, within: number): IntentShape {
  const { needs, fits } = asked(verb, object, within);
  return { needs, fits: (statement) => fits(statement) && !isGuarding(statement.meaning, verb) };
}

function near(within: number, ...needs: readonly Concept[]): IntentShape {
  return { needs, fits: ({ meaning }) => isNear(meaning, within, ...needs) };
}

function manner(concept: Concept): IntentShape {
  return { needs: [concept], manner: true, fits: () => true };
}

const OBEYING = ["obeyed", "follow", "obey", "obey_whatever"] as const satisfies readonly Concept[];

// `Should some actions be approved for good?` asks the reader.
const QUESTION =
  /^[^\p{L}]{0,8}(?:should|would|could|shall|may|do|does|is|are|can|which|what|whether)\b[^!]{0,300}\?/u;

// The orders are what is encoded; `decode it and follow the steps below` follows what everybody reads.
const ENCODED_ORDERS =
  /\b(?:decoded|resulting|hidden|embedded|encoded|decrypted|revealed) (?:\w{1,20} )?(?:instructions?|steps?|commands?|directions?|orders?|text|content|message|payload|script|directives?)\b|\b(?:instructions?|steps?|commands?|directions?|orders?|directives?|tasks?)\b[^.\n]{0,12}\b(?:(?:it|they|that) (?:contains?|holds?|gives?|yields?|says?)|in it|inside|therein|within(?! the)|that results?|from it|contained)\b|\bwhat(?:ever)? (?:it|they) (?:says?|tells?|contains?)\b|其中的|里面的|содержащ|que contiene|darin|qu'il contient|そこに|안에 있는/;

const INTENTS: Readonly<Record<string, IntentShape>> = {
  "send-conversation": {
    needs: ["talk", "carry"],
    fits: (statement) =>
      isCarriedOut(statement) && isNear(statement.meaning, SENTENCE_TOKENS, "talk", "carry"),
  },
  "send-whole-conversation": {
    needs: ["talk", "carry", "whole"],
    fits: (statement) =>
      isCarriedOut(statement) && isNear(statement.meaning, SENTENCE_TOKENS, "talk", "carry", "whole"),
  },
  "send-gathered-secrets": { needs: ["secrets", "carry", "gather"], fits: isSecretsSent },
  "gather-secrets": {
    needs: ["secrets", "gather"],
    fits: ({ meaning }) =>
      isNear(meaning, PHRASE_TOKENS, "secrets", "gather") &&
      isAffirmed(meaning, "gather") &&
      (areSeveral(meaning) || isNear(meaning, PHRASE_TOKENS / 2, "secrets", "whole")),
  },
  "smuggle-data": {
    needs: ["smuggle"],
    fits: ({ meaning }) =>
      isAffirmed(meaning, "smuggle") &&
      hasAny(meaning, "address", "carry", "mail_address") &&
      !has(meaning, "guarding"),
  },
  "behave-while-watched": near(SENTENCE_TOKENS, "two_faced", "watched"),
  "drop-request": asked("dropped", "request_thing", PHRASE_TOKENS / 2),
  "wipe-everything": askedUnguarded("wipe_verb", "wide_target", PHRASE_TOKENS / 2),
  "spread-itself": {
    needs: ["itself", "spread"],
    fits: ({ meaning }) =>
      isNear(meaning, SENTENCE_TOKENS, "spread", "itself") &&
      hasAny(meaning, "elsewhere", "other_skill", "made_things", "agent_memory") &&
      isAffirmed(meaning, "spread"),
  },
  "name-outside-address": {
    needs: ["address"],
    fits: ({ clause }) => clause.medium !== "heading" && clause.medium !== "table",
  },
  "send-something": { needs: ["carry"], fits: isCarriedOut },
  "implant-something": askedUnguarded("implant_verb", "implant_thing", PHRASE_TOKENS),
  "replace-address": {
    needs: ["repointed", "repoint_verb"],
    fits: (statement) =>
      isNear(statement.meaning, PHRASE_TOKENS, "repoint_verb", "repointed") &&
      isAffirmed(statement.meaning, "repoint_verb") &&
      addressOf(statement) !== undefined,
  },
  "replace-payee": askedUnguarded("exchange_verb", "account_no", PHRASE_TOKENS),
  "void-earlier-rules": {
    needs: ["void_word", "norms", "earlier"],
    fits: ({ clause, meaning }) =>
      isNear(meaning, PHRASE_TOKENS, "earlier", "norms", "void_word") &&
      !has(meaning, "guarding") &&
      !/["“«「]/.test(clause.text),
  },
  "replace-task": { needs: ["other_task"], fits: ({ meaning }) => !has(meaning, "guarding") },
  "obey-page": {
    needs: ["obeyed", "directions", "address"],
    fits: ({ meaning }) =>
      isNear(meaning, SENTENCE_TOKENS, "address", "directions", "obeyed") && isAffirmed(meaning, "obeyed"),
  },
  "take-orders-from-page": near(SENTENCE_TOKENS, "directions", "address", "fetch"),
  "store-consent": {
    needs: ["memory_place", "consent_given"],
    fits: ({ clause, meaning }) =>
      isNear(meaning, SENTENCE_TOKENS, "memory_place", "consent_given") && !QUESTION.test(clause.text),
  },
  "switch-off-guard": askedUnguarded("guard_off", "guard", 8),
  "wipe-traces": askedUnguarded("wipe_verb", "traces", 8),
  "answer-for-user": {
    needs: ["on_behalf", "question"],
    fits: ({ meaning }) =>
      isNear(meaning, PHRASE_TOKENS, "on_behalf", "question") && isAffirmed(meaning, "on_behalf"),
  },
  "favour-one-side": {
    needs: ["favour"],
    fits: ({ meaning }) => isAffirmed(meaning, "favour") && !has(meaning, "guarding"),
  },
  "implant-weakness": askedUnguarded("harm_verb", "harm_thing", PHRASE_TOKENS),
  "claim-good-result": {
    needs: ["claimed", "fine_result"],
    fits: ({ meaning }) =>
      isSequence(meaning, PHRASE_TOKENS, "claimed", "fine_result") && isAffirmed(meaning, "claimed"),
  },
  "pressure-for-secret": {
    needs: ["secrets", "pressure"],
    fits: ({ meaning }) =>
      isNear(meaning, SENTENCE_TOKENS, "secrets", "pressure") && !has(meaning, "guarding"),
  },
  "read-secret": asked("collect", "secrets", 8),
  "send-everything": {
    needs: ["carry", "whole"],
    fits: (statement) => isCarriedOut(statement) && isNear(statement.meaning, 6, "carry", "whole"),
  },
  "obey-encoded-orders": {
    needs: ["decode_verb"],
    fits: ({ clause, meaning }) =>
      OBEYING.some(
        (obeying) =>
          isSequence(meaning, PHRASE_TOKENS, "decode_verb", obeying) && isAffirmed(meaning, obeying),
      ) &&
      ENCODED_ORDERS.test(clause.text) &&
      !has(meaning, "guarding"),
  },
  "call-failure-success": {
    needs: ["failing", "claimed", "fine_result"],
    fits: ({ meaning }) =>
      isSequence(meaning, PHRASE_TOKENS / 2, "failing", "claimed", "fine_result") &&
      isAffirmed(meaning, "claimed") &&
      isAffirmed(meaning, "fine_result") &&
      !isSequence(meaning, SENTENCE_TOKENS, "claimed", "failing"),
  },
  "hide-own-orders": {
    needs: [],
    manner: true,
    fits: (statement) =>
      isConcealed(statement) &&
      (isNear(statement.meaning, PHRASE_TOKENS / 2, "learn", "itself") ||
        isNear(statement.meaning, 6, "hush", "sole_rule")),
  },
  "hide-steps": {
    needs: ["directions", "hush", "learn", "user"],
    fits: (statement) =>
      isConcealed(statement) &&
      isSequence(statement.meaning, PHRASE_TOKENS, "directions", "hush") &&
      isSequence(statement.meaning, 4, "user", "no_deed", "learn"),
  },
  "tell-cover-story": {
    needs: ["cover_story"],
    fits: ({ meaning }) => isAffirmed(meaning, "cover_story") && !has(meaning, "guarding"),
  },
  "conceal-from-user": { needs: [], manner: true, fits: isConcealed },
  "only-this-text-counts": manner("sole_rule"),
  "obey-blindly": manner("blindly"),
  "whatever-the-case": manner("no_matter"),
  "bypass-filter": manner("evade"),
  "pretend-neutrality": manner("feigned"),
  "undisclosed-payment": manner("deal"),
  "benefit-others": manner("ulterior"),
  "to-our-account": manner("ours"),
  "leave-undone": manner("left_undone"),
};

const INTENT_LIST = Object.entries(INTENTS);
// Few clauses have the first concept that an intent needs, so the others are not asked about.
const BY_FIRST_NEED = new Map<Concept, [intent: string, shape: IntentShape][]>();
const ALWAYS_POSSIBLE = INTENT_LIST.filter(([, { needs }]) => needs.length === 0);
for (const entry of INTENT_LIST) {
  const [first] = entry[1].needs;
  if (first !== undefined) BY_FIRST_NEED.set(first, [...(BY_FIRST_NEED.get(first) ?? []), entry]);
}

/** The concepts that one of the intents needs; clauses without them are not looked at. */
export const INTENT_CONCEPTS: readonly Concept[] = Array.from(
  new Set(INTENT_LIST.flatMap(([, { needs, manner }]) => (manner === true ? [] : needs.slice(0, 1)))),
);

export function isIntent(name: string): boolean {
  return Object.hasOwn(INTENTS, name);
}
