import { type CatalogCapacity, catalogCapacity } from "../../catalog/catalog-budget.ts";
import type { Catalog } from "../../catalog/create-catalog.ts";
import type { RecentUse } from "../../catalog/rank-skills.ts";
import { createPathCheck, type HiddenSkill } from "../../catalog/visible-skills.ts";
import { MAX_MENTION_CHARACTERS } from "../../mention/find-mentions.ts";
import type { Skill } from "../../registry/skill.ts";
import { checkSelectContext, type SelectContext, type SelectedSkill } from "../../select/selector.ts";
import type { ConversationCatalogOptions, SessionCatalogOptions } from "../session.ts";
import { SEARCH_TOOL } from "./search-skills-tool.ts";
import type { UsableSkills } from "./usable-skills.ts";

export interface CatalogForParts {
  readonly usable: UsableSkills;
  readonly preferred: readonly string[];
  readonly recentUse: RecentUse | undefined;
  select(
    message: string,
    options: { readonly limit: number; readonly context?: SelectContext },
  ): Promise<readonly SelectedSkill[]>;
  render(skills: readonly Skill[], options: SessionCatalogOptions & { readonly unlisted?: number }): Catalog;
}

/**
 * What a model is told for a conversation: everything while that fits, else what suits the conversation best.
 *
 * What is listed whatever the conversation is about, because it is preferred or was used lately, stands first and stays
 * there; behind it stands what was selected, in the order of the snapshot. So the text changes from turn to turn only where
 * the selection does, and a host's prompt cache keeps what is before that.
 */
export async function catalogFor(
  conversation: readonly string[],
  options: ConversationCatalogOptions,
  parts: CatalogForParts,
): Promise<Catalog> {
  const { context, ...rest } = options;
  checkSelectContext(context);
  const given: SessionCatalogOptions = { search: { toolName: SEARCH_TOOL }, ...rest };
  const { usable } = parts;
  const capacity = catalogCapacity(given);
  // Where there are few, all can be asked about again: a scan may have said something since.
  const isStale =
    usable.skills.length <= capacity.atMost && !usable.skills.every((one) => usable.isUsable(one));
  if (isStale) usable.forget();
  const isFew = usable.skills.length <= capacity.atMost;
  const { inPlay, isInPlay, outOfPlay } = divideByPaths(isFew ? usable.skills : [], context?.files);
  const withHidden = (catalog: Catalog): Catalog => ({
    ...catalog,
    report: { ...catalog.report, hidden: [...usable.hidden, ...outOfPlay] },
  });
  if (isFew) {
    const whole = parts.render(inPlay, given);
    if (whole.report.omitted === 0 && whole.report.nameOnly === 0) return withHidden(whole);
  }
  const best = await selectBest(conversation, { capacity, context, parts });
  const names = isFew ? renderNames(best, { skills: inPlay, given, parts }) : undefined;
  return withHidden(names ?? renderBest(best, { given, capacity, isInPlay, parts }));
}

/** Leaves out skills that are bound to other files than those at hand. */
function divideByPaths(
  skills: readonly Skill[],
  files: readonly string[] | undefined,
): {
  readonly inPlay: readonly Skill[];
  readonly isInPlay: (skill: Skill) => boolean;
  readonly outOfPlay: readonly HiddenSkill[];
} {
  if (files === undefined) return { inPlay: skills, isInPlay: () => true, outOfPlay: [] };
  const check = createPathCheck(files);
  const isInPlay = (skill: Skill): boolean => check(skill) === undefined;
  const outOfPlay = skills.flatMap((skill) => {
    const obstacle = check(skill);
    return obstacle === undefined ? [] : [{ skill, ...obstacle }];
  });
  const isOut = new Set(outOfPlay.map(({ skill }) => skill));
  return { inPlay: skills.filter((skill) => !isOut.has(skill)), isInPlay, outOfPlay };
}

/** How much of the room the conversation's own skills get at most; the rest is for those that come always. */
const SELECTED_SHARE = 0.75;
const MAX_SELECTED = 50;

/** The best for all that the conversation is about; what was said last counts most. */
async function selectBest(
  conversation: readonly string[],
  {
    capacity,
    context,
    parts,
  }: {
    readonly capacity: CatalogCapacity;
    readonly context: SelectContext | undefined;
    readonly parts: CatalogForParts;
  },
): Promise<ReadonlyMap<Skill, number>> {
  const limit = Math.min(MAX_SELECTED, Math.ceil(capacity.comfortable * SELECTED_SHARE));
  const messages = readConversation(conversation);
  const whole = messages.reduce((sum, { weight }) => sum + weight, 0);
  const best = new Map<Skill, number>();
  const others: (readonly [Skill, number])[] = [];
  for (const { text, weight } of messages) {
    const found = await parts.select(text, { limit, ...(context && { context }) });
    // A message may name a skill that only people start; a model that was told of it could not load it.
    const usable = found.filter(({ skill }) => parts.usable.has(skill));
    // Each has places of its own: a hundred skills for the last request leave room for what came before.
    const share = Math.floor((limit * weight) / whole);
    usable.forEach(({ skill, score }, place) => {
      if (place >= share) others.push([skill, score * weight]);
      else if (!best.has(skill)) best.set(skill, score * weight);
    });
  }
  for (const [skill, score] of others.sort(([, left], [, right]) => right - left)) {
    if (best.size >= limit) break;
    if (!best.has(skill)) best.set(skill, score);
  }
  return best;
}

/** All skills, if there is room for their names, with descriptions for those that matter; undefined if there is not. */
function renderNames(
  best: ReadonlyMap<Skill, number>,
  {
    skills,
    given,
    parts,
  }: {
    readonly skills: readonly Skill[];
    readonly given: SessionCatalogOptions;
    readonly parts: CatalogForParts;
  },
): Catalog | undefined {
  const relevance = (skill: Skill): number => best.get(skill) ?? 0;
  const catalog = parts.render(skills, { ...given, rank: { relevance, ...given.rank } });
  return catalog.report.omitted === 0 ? catalog : undefined;
}

function renderBest(
  best: ReadonlyMap<Skill, number>,
  {
    given,
    capacity,
    isInPlay,
    parts,
  }: {
    readonly given: SessionCatalogOptions;
    readonly capacity: CatalogCapacity;
    readonly isInPlay: (skill: Skill) => boolean;
    readonly parts: CatalogForParts;
  },
): Catalog {
  const { usable, render } = parts;
  const always = listAlways(given, capacity.comfortable - best.size, parts).filter(isInPlay);
  const chosen = new Set([...best.keys(), ...always]);
  for (const skill of usable.usual) {
    if (chosen.size >= capacity.comfortable) break;
    if (usable.isUsable(skill) && isInPlay(skill)) chosen.add(skill);
  }
  const isAlways = new Set(always);
  const places = usable.places;
  const listed = [...chosen].sort(
    (left, right) =>
      Number(isAlways.has(right)) - Number(isAlways.has(left)) ||
      (places.get(left) ?? 0) - (places.get(right) ?? 0),
  );
  return render(listed, {
    ...given,
    unlisted: usable.skills.length - listed.length,
    // Where there is no room for all of these, the conversation's own are kept first.
    rank: { preferred: [...chosen].map(({ qualifiedName }) => qualifiedName) },
  });
}

/** The preferred skills and those that were used last, as far as they may be used here. */
function listAlways(
  { rank }: SessionCatalogOptions,
  room: number,
  { usable, preferred, recentUse }: CatalogForParts,
): readonly Skill[] {
  const uses = [...((rank?.recentUse ?? recentUse)?.uses ?? [])];
  const recent = uses
    .sort(
      ([leftName, left], [rightName, right]) =>
        right.lastUsedAt - left.lastUsedAt || (leftName < rightName ? -1 : 1),
    )
    .map(([name]) => name);
  const found = new Set<Skill>();
  for (const name of [...(rank?.preferred ?? preferred), ...recent]) {
    if (found.size >= room) break;
    for (const skill of usable.named(name)) if (usable.isUsable(skill)) found.add(skill);
  }
  return [...found].slice(0, Math.max(0, room));
}

export interface WeightedMessage {
  readonly text: string;
  readonly weight: number;
}

/** Besides the current request, so many earlier ones; further back than that nobody looks for them. */
const MAX_EARLIER = 2;
const MAX_LOOKED_BACK = 50;

/** How much less a request counts for each newer one. */
const FADING = 0.6;

/**
 * The messages that say what a conversation is about, the newest first: the current request and up to two earlier ones.
 *
 * "ok" and "continue" say nothing about that: what they answer to still counts in full.
 */
export function readConversation(messages: readonly string[]): readonly WeightedMessage[] {
  const found: WeightedMessage[] = [];
  for (const text of messages.slice(-MAX_LOOKED_BACK).reverse()) {
    if (found.length > MAX_EARLIER) break;
    if (isSubstantive(text)) found.push({ text, weight: FADING ** found.length });
  }
  return found;
}

/** Whoever writes more than this says something. */
const MAX_ASSENT_CHARACTERS = 60;

/** Whether a message says what is wanted, and not only yes, no or go on. */
export function isSubstantive(text: string): boolean {
  // What is pasted can be a megabyte of blanks.
  const start = text.slice(0, MAX_MENTION_CHARACTERS).trim();
  if (start.length > MAX_ASSENT_CHARACTERS) return true;
  const words = start.toLowerCase().match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? [];
  return words.some((word) => !ASSENTS.has(word.replace("’", "'")));
}

// Words of assent, refusal, thanks and going on, in the languages that messages are most often in.
const ASSENTS: ReadonlySet<string> = new Set(
  (
    "ok okay k kk yes y yeah yep yup no n nope nah sure fine good great nice cool perfect awesome right correct exactly " +
    "thanks thank thx ty you please pls do it go on ahead continue proceed next more again retry try that this is looks " +
    "sounds lgtm done hi hello hey stop wait hmm and then now so well keep going 1 2 3 " +
    "ja nein gut weiter danke bitte genau passt mach oui non merci continuez continue vas-y d'accord bien " +
    "sí si no vale gracias sigue continúa claro sim não obrigado certo va bene grazie да нет хорошо спасибо дальше " +
    "好 好的 是 是的 对 对的 不 不是 继续 谢谢 可以 行 はい いいえ ありがとう 続けて 次 お願いします 네 예 아니요 계속 감사합니다"
  ).split(" "),
);
