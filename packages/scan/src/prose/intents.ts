import { isAffirmed } from "./affirmed.ts";
import { addressOf } from "./find-flows.ts";
import type { Intent } from "./intent.ts";
import type { Concept } from "./lexicon.ts";
import { has, hasAny, isNear, isSequence, type Meaning } from "./meaning.ts";
import type { Statement } from "./statements.ts";

/** What one clause is after. */
export function readIntents(statement: Statement): ReadonlySet<Intent> {
  const found = new Set<Intent>();
  const { clause, meaning } = statement;
  if (meaning.marks.size === 0) return found;
  for (const [intent, { needs, manner, fits }] of INTENT_LIST) {
    if (!needs.every((need) => meaning.marks.has(need))) continue;
    // A prohibition is no deed, but `do not tell` is a manner.
    if (clause.stance !== "live" && !(manner === true && clause.stance === "negated")) continue;
    if (manner !== true && has(meaning, "asks_first")) continue;
    if (fits(statement)) found.add(intent);
  }
  return found;
}

/** The concepts that one of the deeds needs: clauses without them are not looked at. */
export function deedConcepts(): readonly Concept[] {
  return Array.from(
    new Set(INTENT_LIST.flatMap(([, { needs, manner }]) => (manner === true ? [] : needs.slice(0, 1)))),
  );
}

interface IntentShape {
  readonly needs: readonly Concept[];
  /** How something is done, not what. */
  readonly manner?: true;
  readonly fits: (statement: Statement) => boolean;
}

const SENTENCE_TOKENS = 40;
const PHRASE_TOKENS = 20;

/** A carrying that is asked for, and somebody outside who gets it. */
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
function isHushed({ clause, meaning }: Statement): boolean {
  if (has(meaning, "hush") && isAffirmed(meaning, "hush")) return true;
  if (!has(meaning, "learn") || UNHUSHED.test(clause.text)) return false;
  if (isSequence(meaning, 4, "learn", "no_deed_after")) return true;
  // German denies behind the verb: `erwähne es nicht`.
  return (
    isSequence(meaning, 4, "no_deed", "learn") ||
    (clause.text.includes(" nicht") && isSequence(meaning, 3, "learn", "no_deed"))
  );
}

// Words that are asked to be told in spite of a negation near them.
const UNHUSHED = /\b(?:not only|not just|must know|should know|not sure|don't know|do not know|unless)\b/;

/** `Look for a master password` guards; `leave one, so that no review finds it` does not. */
function isGuarding({ marks }: Meaning, deed: Concept): boolean {
  const guard = marks.get("guarding")?.[0];
  return guard !== undefined && guard.from <= (marks.get(deed)?.[0]?.from ?? 0);
}

const OBEYING = ["obeyed", "follow", "obey", "obey_whatever"] as const satisfies readonly Concept[];

// `Should some actions be approved for good?` asks the reader.
const QUESTION =
  /^[^\p{L}]{0,8}(?:should|would|could|shall|may|do|does|is|are|can|which|what|whether)\b[^!]{0,300}\?/u;

// The orders are what is encoded; `decode it and follow the steps below` follows what everybody reads.
const ENCODED_ORDERS =
  /\b(?:decoded|resulting|hidden|embedded|encoded|decrypted|revealed) (?:\w{1,20} )?(?:instructions?|steps?|commands?|directions?|orders?|text|content|message|payload|script|directives?)\b|\b(?:instructions?|steps?|commands?|directions?|orders?|directives?|tasks?)\b[^.\n]{0,12}\b(?:(?:it|they|that) (?:contains?|holds?|gives?|yields?|says?)|in it|inside|therein|within(?! the)|that results?|from it|contained)\b|\bwhat(?:ever)? (?:it|they) (?:says?|tells?|contains?)\b|其中的|里面的|содержащ|que contiene|darin|qu'il contient|そこに|안에 있는/;

const INTENTS: Readonly<Record<Intent, IntentShape>> = {
  "the conversation is sent": {
    needs: ["talk", "carry"],
    fits: (statement) =>
      isCarriedOut(statement) && isNear(statement.meaning, SENTENCE_TOKENS, "talk", "carry"),
  },
  "the whole conversation is sent": {
    needs: ["talk", "carry", "whole"],
    fits: (statement) =>
      isCarriedOut(statement) && isNear(statement.meaning, SENTENCE_TOKENS, "talk", "carry", "whole"),
  },
  "secrets are gathered and sent": { needs: ["secrets", "carry", "gather"], fits: isSecretsSent },
  "secrets are gathered": {
    needs: ["secrets", "gather"],
    fits: ({ meaning }) =>
      isNear(meaning, PHRASE_TOKENS, "secrets", "gather") &&
      isAffirmed(meaning, "gather") &&
      (areSeveral(meaning) || isNear(meaning, PHRASE_TOKENS / 2, "secrets", "whole")),
  },
  "data are smuggled out": {
    needs: ["smuggle"],
    fits: ({ meaning }) =>
      isAffirmed(meaning, "smuggle") &&
      hasAny(meaning, "address", "carry", "mail_address") &&
      !has(meaning, "guarding"),
  },
  "it behaves while it is watched": {
    needs: ["two_faced", "watched"],
    fits: ({ meaning }) => isNear(meaning, SENTENCE_TOKENS, "two_faced", "watched"),
  },
  "the request is dropped": {
    needs: ["request_thing", "dropped"],
    fits: ({ meaning }) =>
      isNear(meaning, PHRASE_TOKENS / 2, "request_thing", "dropped") && isAffirmed(meaning, "dropped"),
  },
  "everything is wiped": {
    needs: ["wide_target", "wipe_verb"],
    fits: ({ meaning }) =>
      isNear(meaning, PHRASE_TOKENS / 2, "wipe_verb", "wide_target") &&
      isAffirmed(meaning, "wipe_verb") &&
      !isGuarding(meaning, "wipe_verb"),
  },
  "it spreads": {
    needs: ["itself", "spread"],
    fits: ({ meaning }) =>
      isNear(meaning, SENTENCE_TOKENS, "spread", "itself") &&
      hasAny(meaning, "elsewhere", "other_skill", "made_things", "agent_memory") &&
      isAffirmed(meaning, "spread"),
  },
  "somebody outside is named": {
    needs: ["address"],
    fits: ({ clause }) => clause.medium !== "heading" && clause.medium !== "table",
  },
  "something is sent": { needs: ["carry"], fits: isCarriedOut },
  "something is put in": {
    needs: ["implant_thing", "implant_verb"],
    fits: ({ meaning }) =>
      isNear(meaning, PHRASE_TOKENS, "implant_verb", "implant_thing") &&
      isAffirmed(meaning, "implant_verb") &&
      !isGuarding(meaning, "implant_verb"),
  },
  "an address is exchanged": {
    needs: ["repointed", "repoint_verb"],
    fits: (statement) =>
      isNear(statement.meaning, PHRASE_TOKENS, "repoint_verb", "repointed") &&
      isAffirmed(statement.meaning, "repoint_verb") &&
      addressOf(statement) !== undefined,
  },
  "the payee is exchanged": {
    needs: ["account_no", "exchange_verb"],
    fits: ({ meaning }) =>
      isNear(meaning, PHRASE_TOKENS, "exchange_verb", "account_no") &&
      isAffirmed(meaning, "exchange_verb") &&
      !isGuarding(meaning, "exchange_verb"),
  },
  "earlier rules are void": {
    needs: ["void_word", "norms", "earlier"],
    fits: ({ clause, meaning }) =>
      isNear(meaning, PHRASE_TOKENS, "earlier", "norms", "void_word") &&
      !has(meaning, "guarding") &&
      !/["“«「]/.test(clause.text),
  },
  "another task is put in place": { needs: ["other_task"], fits: ({ meaning }) => !has(meaning, "guarding") },
  "a page is obeyed": {
    needs: ["obeyed", "directions", "address"],
    fits: ({ meaning }) =>
      isNear(meaning, SENTENCE_TOKENS, "address", "directions", "obeyed") && isAffirmed(meaning, "obeyed"),
  },
  "a page gives the orders": {
    needs: ["directions", "address", "fetch"],
    fits: ({ meaning }) => isNear(meaning, SENTENCE_TOKENS, "address", "directions", "fetch"),
  },
  "consent is written into memory": {
    needs: ["memory_place", "consent_given"],
    fits: ({ clause, meaning }) =>
      isNear(meaning, SENTENCE_TOKENS, "memory_place", "consent_given") && !QUESTION.test(clause.text),
  },
  "a guard is switched off": {
    needs: ["guard", "guard_off"],
    fits: ({ meaning }) =>
      isNear(meaning, 8, "guard_off", "guard") &&
      isAffirmed(meaning, "guard_off") &&
      !isGuarding(meaning, "guard_off"),
  },
  "traces are wiped": {
    needs: ["traces", "wipe_verb"],
    fits: ({ meaning }) =>
      isNear(meaning, 8, "wipe_verb", "traces") &&
      isAffirmed(meaning, "wipe_verb") &&
      !isGuarding(meaning, "wipe_verb"),
  },
  "questions are answered for the user": {
    needs: ["on_behalf", "question"],
    fits: ({ meaning }) =>
      isNear(meaning, PHRASE_TOKENS, "on_behalf", "question") && isAffirmed(meaning, "on_behalf"),
  },
  "one side is favoured": {
    needs: ["favour"],
    fits: ({ meaning }) => isAffirmed(meaning, "favour") && !has(meaning, "guarding"),
  },
  "a weakness is put in": {
    needs: ["harm_thing", "harm_verb"],
    fits: ({ meaning }) =>
      isNear(meaning, PHRASE_TOKENS, "harm_verb", "harm_thing") &&
      isAffirmed(meaning, "harm_verb") &&
      !isGuarding(meaning, "harm_verb"),
  },
  "a good result is claimed": {
    needs: ["claimed", "fine_result"],
    fits: ({ meaning }) =>
      isSequence(meaning, PHRASE_TOKENS, "claimed", "fine_result") && isAffirmed(meaning, "claimed"),
  },
  "a secret is talked out of the user": {
    needs: ["secrets", "pressure"],
    fits: ({ meaning }) =>
      isNear(meaning, SENTENCE_TOKENS, "secrets", "pressure") && !has(meaning, "guarding"),
  },
  "a secret is read": {
    needs: ["secrets", "collect"],
    fits: ({ meaning }) => isNear(meaning, 8, "collect", "secrets") && isAffirmed(meaning, "collect"),
  },
  "everything is sent": {
    needs: ["carry", "whole"],
    fits: (statement) => isCarriedOut(statement) && isNear(statement.meaning, 6, "carry", "whole"),
  },
  "encoded orders are obeyed": {
    needs: ["decode_verb"],
    fits: ({ clause, meaning }) =>
      OBEYING.some(
        (obeying) =>
          isSequence(meaning, PHRASE_TOKENS, "decode_verb", obeying) && isAffirmed(meaning, obeying),
      ) &&
      ENCODED_ORDERS.test(clause.text) &&
      !has(meaning, "guarding"),
  },
  "a failure is called a success": {
    needs: ["failing", "claimed", "fine_result"],
    fits: ({ meaning }) =>
      isSequence(meaning, PHRASE_TOKENS / 2, "failing", "claimed", "fine_result") &&
      isAffirmed(meaning, "claimed") &&
      isAffirmed(meaning, "fine_result") &&
      !isSequence(meaning, SENTENCE_TOKENS, "claimed", "failing"),
  },
  "its own orders are kept secret": {
    needs: [],
    manner: true,
    fits: (statement) =>
      isHushed(statement) &&
      (isNear(statement.meaning, PHRASE_TOKENS / 2, "learn", "itself") ||
        isNear(statement.meaning, 6, "hush", "sole_rule")),
  },
  "the steps are kept from the user": {
    needs: ["directions", "hush", "learn", "user"],
    fits: (statement) =>
      isHushed(statement) &&
      isSequence(statement.meaning, PHRASE_TOKENS, "directions", "hush") &&
      isSequence(statement.meaning, 4, "user", "no_deed", "learn"),
  },
  "a story is told instead": {
    needs: ["cover_story"],
    fits: ({ meaning }) => isAffirmed(meaning, "cover_story") && !has(meaning, "guarding"),
  },
  hushed: { needs: [], manner: true, fits: isHushed },
  "only this text counts": { needs: ["sole_rule"], manner: true, fits: () => true },
  "blind obedience": { needs: ["blindly"], manner: true, fits: () => true },
  "whatever the case": { needs: ["no_matter"], manner: true, fits: () => true },
  "no filter sees it": { needs: ["evade"], manner: true, fits: () => true },
  "it is passed off as neutral": { needs: ["feigned"], manner: true, fits: () => true },
  "there is a deal": { needs: ["deal"], manner: true, fits: () => true },
  "others profit": { needs: ["ulterior"], manner: true, fits: () => true },
  "to our account": { needs: ["ours"], manner: true, fits: () => true },
  "the work is left undone": { needs: ["left_undone"], manner: true, fits: () => true },
};

const INTENT_LIST: readonly (readonly [Intent, IntentShape])[] = Object.entries(
  INTENTS,
) as readonly (readonly [Intent, IntentShape])[];
