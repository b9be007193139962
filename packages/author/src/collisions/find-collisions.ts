import type { SelectedSkill, SelectorOptions, Skill, Snapshot } from "@skillet/core";
import { createSelector } from "@skillet/core/internal";
import { present } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { splitWords, stemWord } from "@skillet/kit/words";
import { clausesOf, hasWord, headerWords, topicWords } from "../triggers/advise-author.ts";
import type { TriggerQuery } from "../triggers/read-trigger-set.ts";

/** Options of `findCollisions`: which skills to compare, and from which share on a collision is reported. */
export interface FindCollisionsOptions {
  readonly readBody?: SelectorOptions["readBody"];
  /** By qualified name: messages that, according to the author, should trigger the skill. */
  readonly triggerSets?: ReadonlyMap<string, readonly TriggerQuery[]>;
  /** Qualified names: only collisions that involve these skills are reported. Default: all. */
  readonly names?: readonly string[];
  /** The share of a skill's phrases that must be contested for a collision to be reported. Default: 0.25. */
  readonly minShare?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** The skills that win each other's messages, and how much was compared. */
export interface CollisionReport {
  readonly collisions: readonly Collision[];
  readonly skills: number;
  readonly queries: number;
  /** What the bounds left out: phrases of skills that have many, and skills that were not tried at all. */
  readonly cut: { readonly phrases: number; readonly skills: number };
}

const DEFAULT_MIN_SHARE = 0.25;
const MAX_PHRASES_PER_SKILL = 12;
/** Takes about a minute for a library of ten thousand skills. */
const MAX_QUERIES = 40_000;
const RIVALS = 4;

/**
 * Tries every skill's own phrases as messages and reports where another skill ranks first, or close.
 *
 * @example
 * const { collisions } = await findCollisions(skills.snapshot);
 * for (const { skills: [one, other], directions } of collisions) console.log(one, other, directions[0]?.phrases);
 */
export async function findCollisions(
  snapshot: Snapshot,
  options: FindCollisionsOptions = {},
): Promise<CollisionReport> {
  const { signal, minShare = DEFAULT_MIN_SHARE } = options;
  const skills = snapshot.skills.filter(
    ({ state, kind, manifest }) => state === "enabled" && kind === "skill" && manifest.invocation.model,
  );
  const wanted = options.names === undefined ? undefined : new Set(options.names);
  const concerns = (...names: readonly string[]): boolean =>
    wanted === undefined || names.some((name) => wanted.has(name));
  const copies = findCopies(skills);
  const copiesOf = new Map(copies.flatMap((group) => group.map((skill) => [skill, group] as const)));
  const selector = await createSelector(
    { ...snapshot, skills },
    present({ readBody: options.readBody, signal }),
  );
  const { plan, cut } = planQueries(skills, wanted, options.triggerSets);
  const losses = new Map<string, Map<string, Loss>>();
  let queries = 0;
  for (const [done, { skill, phrases }] of plan.entries()) {
    signal?.throwIfAborted();
    queries += phrases.length;
    const contested = phrases
      .flatMap((phrase) => contestPhrase(skill, phrase, selector.select(phrase.text, { limit: RIVALS })))
      .filter(({ rival }) => concerns(skill.qualifiedName, rival.qualifiedName))
      .filter(({ rival }) => copiesOf.get(skill)?.includes(rival) !== true);
    const byRival = groupBy(contested, ({ rival }) => rival.qualifiedName);
    losses.set(
      skill.qualifiedName,
      new Map(Array.from(byRival, ([to, some]) => [to, describeLoss(skill, some, phrases.length)])),
    );
    options.onProgress?.(done + 1, plan.length);
  }
  const copied = copies
    .map((group) => group.map(({ qualifiedName }) => qualifiedName).sort(compareByteOrder))
    .filter((names) => concerns(...names))
    .map((names): Collision => ({ kind: "copy", skills: names, harm: names.length, directions: [] }));
  const collisions = [...copied, ...pairUp(losses, minShare)].sort(
    (left, right) =>
      right.harm - left.harm || compareByteOrder(left.skills.join("\n"), right.skills.join("\n")),
  );
  return { collisions, skills: skills.length, queries, cut };
}

type Planned = { readonly skill: Skill; readonly phrases: readonly OwnPhrase[] };

function planQueries(
  skills: readonly Skill[],
  wanted: ReadonlySet<string> | undefined,
  triggerSets: FindCollisionsOptions["triggerSets"],
): { readonly plan: readonly Planned[]; readonly cut: CollisionReport["cut"] } {
  const isWanted = ({ qualifiedName }: Skill): boolean => wanted?.has(qualifiedName) === true;
  // The requested skills come first, so that no bound leaves them out.
  const ordered = [...skills.filter(isWanted), ...skills.filter((skill) => !isWanted(skill))];
  const each = Math.min(
    MAX_PHRASES_PER_SKILL,
    Math.max(1, Math.floor(MAX_QUERIES / Math.max(1, skills.length))),
  );
  let cutPhrases = 0;
  const plan = ordered.slice(0, MAX_QUERIES).map((skill): Planned => {
    const phrases = phrasesOf(skill, triggerSets?.get(skill.qualifiedName));
    const most = isWanted(skill) ? MAX_PHRASES_PER_SKILL : each;
    cutPhrases += Math.max(0, phrases.length - most);
    return { skill, phrases: phrases.slice(0, most) };
  });
  return { plan, cut: { phrases: cutPhrases, skills: ordered.length - plan.length } };
}

type Loss = ReturnType<typeof describeLoss>;

function pairUp(
  losses: ReadonlyMap<string, ReadonlyMap<string, Loss>>,
  minShare: number,
): readonly Collision[] {
  return Array.from(losses.values()).flatMap((own) =>
    Array.from(own.values()).flatMap((loss): Collision[] => {
      const { from, to } = loss;
      const back = losses.get(to)?.get(from);
      // Report each pair once: from the first of the two, or from the only one that loses phrases.
      if (back !== undefined && compareByteOrder(from, to) > 0) return [];
      const both = [loss, ...(back === undefined ? [] : [back])].sort(
        (left, right) => right.harm - left.harm,
      );
      if (!both.some(({ share }) => share >= minShare)) return [];
      return [
        {
          kind: "overlap",
          skills: [from, to].sort(compareByteOrder),
          harm: loss.harm + (back?.harm ?? 0),
          directions: both.map(({ harm: _, ...direction }) => direction),
        },
      ];
    }),
  );
}

function findCopies(skills: readonly Skill[]): readonly (readonly Skill[])[] {
  const groups = groupBy(skills, ({ manifest: { description, whenToUse = "" } }) =>
    `${description}\n${whenToUse}`.replace(/\s+/g, " ").trim().toLowerCase(),
  );
  groups.delete("");
  return [...groups.values()].filter(({ length }) => length > 1);
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    group.push(item);
    groups.set(keyOf(item), group);
  }
  return groups;
}

/** Skills that win each other's messages, or that are copies. */
export interface Collision {
  readonly kind: "copy" | "overlap";
  /** Qualified names in byte order: all skills that share a description, or two that overlap. */
  readonly skills: readonly string[];
  /** Higher is worse; copies sort before everything else. */
  readonly harm: number;
  /** Which skill loses phrases to which, the worse direction first; empty for copies, which cannot be told apart. */
  readonly directions: readonly CollisionDirection[];
}

/** The queries that one skill loses to another. */
export interface CollisionDirection {
  /** The skill whose own phrases were tried. */
  readonly from: string;
  /** The skill that ranked first, or close. */
  readonly to: string;
  readonly queries: number;
  readonly stolen: number;
  /** Queries where `from` ranked first, but so narrowly that slightly different wording could reverse the order. */
  readonly close: number;
  /** The share of the queries that were stolen or close. */
  readonly share: number;
  readonly phrases: readonly ContestedPhrase[];
  /** Words of these phrases that occur in both headers, the most frequent first. */
  readonly sharedWords: readonly string[];
}

/** A phrase of a skill that another skill matches as well or better. */
export interface ContestedPhrase {
  readonly text: string;
  readonly source: PhraseSource;
  readonly outcome: "stolen" | "close";
  readonly score: number;
  readonly rivalScore: number;
}

export type PhraseSource = "trigger-set" | "phrase" | "keyword" | "when-to-use" | "description";

const MAX_PHRASES = 5;
const MAX_WORDS = 8;

const CLOSE_MARGIN = 0.05;

/** A rival that scores lower takes nothing, because it would not be chosen. */
const MIN_RIVAL_SCORE = 0.3;

type Contested = ContestedPhrase & { readonly rival: Skill };

/** The rivals for a phrase of a skill: those ranked above it or, if it ranks first, those that score close to it. */
function contestPhrase(
  skill: Skill,
  phrase: OwnPhrase,
  ranked: readonly SelectedSkill[],
): readonly Contested[] {
  const place = ranked.findIndex(({ skill: one }) => one.qualifiedName === skill.qualifiedName);
  const score = ranked[place]?.score ?? 0;
  const before = place === -1 ? ranked : ranked.slice(0, place);
  const close = ranked.slice(1).filter((rival) => score - rival.score <= CLOSE_MARGIN);
  const outcome = place === 0 ? "close" : "stolen";
  return (place === 0 ? close : before)
    .filter((rival) => rival.score >= MIN_RIVAL_SCORE)
    .map((rival) => ({ ...phrase, outcome, score, rivalScore: rival.score, rival: rival.skill }));
}

function describeLoss(
  from: Skill,
  contested: readonly Contested[],
  queries: number,
): CollisionDirection & { readonly harm: number } {
  const [first] = contested;
  const stolen = contested.filter(({ outcome }) => outcome === "stolen").length;
  const close = contested.length - stolen;
  const rivalWords = new Set(first === undefined ? [] : headerWords(first.rival).map(stemWord));
  const words = new Map<string, number>();
  for (const word of contested.flatMap(({ text }) => topicWords(text)))
    if (hasWord(rivalWords, word)) words.set(word, (words.get(word) ?? 0) + 1);
  const worst = contested.toSorted(
    (left, right) =>
      right.rivalScore - right.score - (left.rivalScore - left.score) ||
      compareByteOrder(left.text, right.text),
  );
  return {
    from: from.qualifiedName,
    to: first?.rival.qualifiedName ?? "",
    queries,
    stolen,
    close,
    share: contested.length / queries,
    phrases: worst.slice(0, MAX_PHRASES).map(({ rival: _, ...phrase }) => phrase),
    sharedWords: Array.from(words)
      .sort((left, right) => right[1] - left[1] || compareByteOrder(left[0], right[0]))
      .slice(0, MAX_WORDS)
      .map(([word]) => word),
    // A close query counts as half a loss.
    harm: (stolen + close / 2) / queries,
  };
}

type OwnPhrase = Pick<ContestedPhrase, "text" | "source">;

const MAX_PHRASE_CHARACTERS = 400;

// With fewer phrases, the description is tried too.
const ENOUGH = 3;

/** The messages that a skill claims for itself, most certain first: trigger set, quotes, keywords, sentences. */
export function phrasesOf(skill: Skill, queries: readonly TriggerQuery[] = []): readonly OwnPhrase[] {
  const { triggers } = skill.manifest;
  const said = clausesOf(skill.manifest);
  const of = (kind: "phrase" | "trigger" | "description"): readonly string[] =>
    said.filter((clause) => clause.kind === kind).map(({ text }) => text);
  const claimed: OwnPhrase[] = [
    ...queries.filter(({ shouldTrigger }) => shouldTrigger).map(({ query }) => from("trigger-set", query)),
    // A single quoted word is usually a name or a value rather than a message.
    ...of("phrase")
      .filter((text) => splitWords(text).length > 1)
      .map((text) => from("phrase", text)),
    ...triggers.keywords.map((text) => from("keyword", text)),
    ...of("trigger").map((text) => from("when-to-use", asMessage(text))),
  ];
  const own = withoutRepeats(claimed);
  if (own.length >= ENOUGH) return own;
  return withoutRepeats([...own, ...of("description").map((text) => from("description", asMessage(text)))]);
}

const from = (source: PhraseSource, text: string): OwnPhrase => ({
  source,
  text: text.slice(0, MAX_PHRASE_CHARACTERS).trim(),
});

// Users do not say "Use when the user asks to …" to an agent, and these words occur in every skill.
const INTRODUCTION =
  /^(?:always |also )?(?:use|trigger|invoke|activate|apply)(?: (?:this|it))?(?: skill)?(?: (?:when(?:ever)?|if|for|to))?(?: (?:the )?users? (?:asks?|wants?|needs?|mentions?|says?)(?: (?:to|for|about))?)?[\s:,]+/i;

const asMessage = (sentence: string): string => sentence.replace(INTRODUCTION, "");

function withoutRepeats(phrases: readonly OwnPhrase[]): readonly OwnPhrase[] {
  const seen = new Set<string>();
  return phrases.filter(({ text }) => {
    const key = text.replace(/\s+/g, " ").toLowerCase();
    if (seen.has(key) || topicWords(text).length === 0) return false;
    seen.add(key);
    return true;
  });
}
