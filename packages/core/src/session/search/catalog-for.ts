import { createPause } from "@skillet/kit/async";
import { callInvalid } from "@skillet/kit/errors";
import { cutPath } from "@skillet/kit/glob";
import { checkSelectContext, MAX_MENTION_CHARACTERS } from "@skillet/select/parts";
import { type CatalogCapacity, catalogCapacity } from "../../catalog/catalog-budget.ts";
import {
  type Catalog,
  type CatalogOptions,
  createCatalog,
  type HiddenSkill,
} from "../../catalog/create-catalog.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SelectContext } from "../../selection.ts";
import type { ConversationCatalogOptions, SessionCatalogOptions } from "../session.ts";
import { findHidden, isForUsers } from "../skill-access.ts";
import { viewOf } from "../skill-view.ts";
import { indexOf, inOrder } from "../snapshot-index.ts";
import type { SessionState, ToldCatalog } from "../state.ts";
import { SEARCH_TOOL, selectSkills, usualSkills } from "./session-search.ts";

/** Remembers what the host was told; of a large library, only the listed skills. */
export function tell(session: SessionState, catalog: Catalog, how: Omit<ToldCatalog, "catalog">): Catalog {
  const { text, report } = catalog;
  const skills = report.skills.filter(({ outcome }) => outcome !== "omitted");
  session.told = { ...how, catalog: { text, report: { ...report, skills, hidden: [] } } };
  return catalog;
}

export function catalogOf(
  session: SessionState,
  { userOnly = false, ...options }: SessionCatalogOptions,
): Catalog {
  const { skills, hidden } = viewOf(session);
  if (!userOnly) return withHidden(renderCatalog(session, skills, options), hidden);
  const forUsers = new Set(hidden.map(({ skill }) => skill).filter((skill) => isForUsers(session, skill)));
  const listed = inOrder(session.snapshot, new Set([...skills, ...forUsers]));
  return withHidden(
    renderCatalog(session, listed, options),
    hidden.filter(({ skill }) => !forUsers.has(skill)),
  );
}

function renderCatalog(
  { preferred }: SessionState,
  skills: readonly Skill[],
  options: CatalogOptions,
): Catalog {
  const { rank, ...rest } = options;
  return createCatalog(skills, { ...rest, rank: { preferred, ...rank } });
}

function withHidden(catalog: Catalog, hidden: readonly HiddenSkill[]): Catalog {
  return { ...catalog, report: { ...catalog.report, hidden } };
}

/**
 * Preferred and recently used skills come first, whatever the conversation is about; selected ones follow in
 * snapshot order. So a host's prompt cache keeps the part before the selection.
 */
export async function catalogFor(
  session: SessionState,
  conversation: readonly string[],
  { context, ...options }: ConversationCatalogOptions,
): Promise<Catalog> {
  // A single string would be read character by character.
  if (!Array.isArray(conversation) || conversation.some((message) => typeof message !== "string"))
    throw callInvalid("The conversation", "a list of texts, the newest last");
  checkSelectContext(context);
  const given: CatalogOptions = { ...options, search: options.search ?? { toolName: SEARCH_TOOL } };
  const capacity = catalogCapacity(given);
  const { skills, hidden } = viewOf(session);
  const isFew = skills.length <= capacity.atMost;
  const { isInPlay, outOfPlay } = checkPaths(session, isFew ? skills : [], context?.files);
  const allHidden = [...hidden, ...outOfPlay];
  const inPlay = isFew ? skills.filter(isInPlay) : [];
  if (isFew) {
    const whole = renderCatalog(session, inPlay, given);
    if (whole.report.omitted === 0 && whole.report.nameOnly === 0) return withHidden(whole, allHidden);
  }
  const pause = createPause();
  const best = await selectBest(session, conversation, capacity, context);
  await pause();
  if (isFew) {
    // All of them, if their names fit, with descriptions for those that matter.
    const relevance = (skill: Skill): number => best.get(skill) ?? 0;
    const names = renderCatalog(session, inPlay, { ...given, rank: { relevance, ...given.rank } });
    const { omitted, leftOut, skills: listed } = names.report;
    const isBare = inPlay.some((skill, at) => best.has(skill) && listed[at]?.outcome === "name-only");
    if (omitted === 0 && !isBare && !leftOut.includes("guidance")) return withHidden(names, allHidden);
  }
  return withHidden(renderBest(session, best, { given, capacity, isInPlay }), allHidden);
}

function checkPaths(
  session: SessionState,
  skills: readonly Skill[],
  files: readonly string[] | undefined,
): { readonly isInPlay: (skill: Skill) => boolean; readonly outOfPlay: readonly HiddenSkill[] } {
  if (files === undefined) return { isInPlay: () => true, outOfPlay: [] };
  const given = { files: files.map(cutPath) };
  const check = (skill: Skill): HiddenSkill | undefined => findHidden(session, skill, "model", given);
  return {
    isInPlay: (skill) => check(skill) === undefined,
    outOfPlay: skills.flatMap((skill) => check(skill) ?? []),
  };
}

// Selected skills get at most this share of the room; the rest is for skills that are always listed.
const SELECTED_SHARE = 0.75;
const MAX_SELECTED = 50;

/** The best skills for everything that the conversation is about; the latest message counts most. */
async function selectBest(
  session: SessionState,
  conversation: readonly string[],
  capacity: CatalogCapacity,
  context: SelectContext | undefined,
): Promise<ReadonlyMap<Skill, number>> {
  const limit = Math.min(MAX_SELECTED, Math.ceil(capacity.comfortable * SELECTED_SHARE));
  const messages = readConversation(conversation);
  const whole = messages.reduce((sum, { weight }) => sum + weight, 0);
  const best = new Map<Skill, number>();
  const others: (readonly [Skill, number])[] = [];
  for (const { text, weight } of messages) {
    const found = await selectSkills(session, text, { limit, ...(context && { context }) });
    // A message may name a skill that only users start; a model that was told about it could not load it.
    const usable = found.filter(({ skill }) => viewOf(session).has(skill));
    // Each message has places of its own: many skills for the latest one leave room for those before.
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

function renderBest(
  session: SessionState,
  best: ReadonlyMap<Skill, number>,
  parts: {
    readonly given: CatalogOptions;
    readonly capacity: CatalogCapacity;
    readonly isInPlay: (skill: Skill) => boolean;
  },
): Catalog {
  const { given, capacity, isInPlay } = parts;
  const view = viewOf(session);
  const always = listAlways(session, given, capacity.comfortable - best.size).filter(isInPlay);
  const chosen = new Set([...best.keys(), ...always]);
  for (const skill of usualSkills(view)) {
    if (chosen.size >= capacity.comfortable) break;
    if (isInPlay(skill)) chosen.add(skill);
  }
  const isAlways = new Set(always);
  const { places } = indexOf(session.snapshot);
  const listed = [...chosen].sort(
    (left, right) =>
      Number(isAlways.has(right)) - Number(isAlways.has(left)) ||
      (places.get(left) ?? 0) - (places.get(right) ?? 0),
  );
  return renderCatalog(session, listed, {
    ...given,
    unlisted: view.skills.length - listed.length,
    // If not all of these fit, those that suit the conversation are kept.
    rank: { preferred: [...chosen].map(({ qualifiedName }) => qualifiedName) },
  });
}

function listAlways(session: SessionState, { rank }: CatalogOptions, room: number): readonly Skill[] {
  const { byQualifiedName, byName } = indexOf(session.snapshot);
  const view = viewOf(session);
  const uses = [...((rank?.recentUse ?? session.memory.context().recentUse)?.uses ?? [])];
  const recent = uses
    .sort(
      ([leftName, left], [rightName, right]) =>
        right.lastUsedAt - left.lastUsedAt || (leftName < rightName ? -1 : 1),
    )
    .map(([name]) => name);
  const found = new Set<Skill>();
  for (const name of [...(rank?.preferred ?? session.preferred), ...recent]) {
    if (found.size >= room) break;
    const exact = byQualifiedName.get(name);
    const meant = exact !== undefined && view.has(exact) ? [exact] : (byName.get(name) ?? []);
    for (const skill of meant) if (view.has(skill)) found.add(skill);
  }
  return [...found].slice(0, Math.max(0, room));
}

/** How many earlier requests count besides the current one, and how far back they are searched. */
const MAX_EARLIER = 2;
const MAX_LOOKED_BACK = 50;

const FADING = 0.6;

/** Newest first, with up to two earlier requests; what "ok" and "continue" answer still counts in full. */
export function readConversation(
  messages: readonly string[],
): readonly { readonly text: string; readonly weight: number }[] {
  const found: { readonly text: string; readonly weight: number }[] = [];
  for (const text of messages.slice(-MAX_LOOKED_BACK).reverse()) {
    if (found.length > MAX_EARLIER) break;
    if (isSubstantive(text)) found.push({ text, weight: FADING ** found.length });
  }
  return found;
}

/** A longer message always has content. */
const MAX_ASSENT_CHARACTERS = 60;

/** Whether a message says what is wanted, and not only yes, no or go on. */
export function isSubstantive(text: string): boolean {
  // A paste can be a megabyte of blanks.
  const start = text.slice(0, MAX_MENTION_CHARACTERS).trim();
  if (start.length > MAX_ASSENT_CHARACTERS) return true;
  const words = start.toLowerCase().match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? [];
  return words.some((word) => !ASSENTS.has(word.replace("’", "'")));
}

// Words of assent, refusal, thanks and continuing, in the most common languages of messages.
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
