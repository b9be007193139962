import { textOf } from "@skillet/kit/json";
import type { Transcript, TranscriptEvent } from "../transcript/transcript.ts";
import { type GeneralCommand, generaliseCommand, readCall } from "./general-command.ts";
import { tellingWords } from "./subjects.ts";

/** One thing that worked: a program that ran, files that were changed, or a call of another tool. */
export type Deed =
  | { readonly kind: "command"; readonly command: GeneralCommand }
  | { readonly kind: "edit"; readonly files: readonly string[] }
  | { readonly kind: "other"; readonly tool: string; readonly fields: readonly string[] };

/** What a conversation was about: one request, what was done for it, and what the person said on the way. */
export interface Job {
  readonly goal: string;
  /** Other requests for the same thing, in the same conversation. */
  readonly repeats: readonly string[];
  /** In order, without what failed, was denied or only looked around. */
  readonly deeds: readonly Deed[];
  readonly corrections: readonly string[];
  /** What the agent said about it. */
  readonly said: readonly string[];
  /** Tools that were used to look around. */
  readonly looks: ReadonlySet<string>;
}

interface Episode {
  readonly opening: string;
  readonly deeds: Deed[];
  readonly corrections: string[];
  readonly said: string[];
  readonly looks: Set<string>;
  isApproved: boolean;
}

const APPROVAL =
  /^(?:(?:ok(?:ay)?|yes|yep|great|perfect|nice|good|thanks?|thank you|cool|awesome|excellent|lgtm|done|works?|super|sure|fine|looks|it|now|that'?s?|very|all|so|much|well|again|job|go ahead|y)\b[\s,.!:)]*)+$/i;
const APPROVES = /\b(?:thanks?|thank you|perfect|great|works|lgtm|awesome|excellent|looks good|nice|good)\b/i;
const RESTRICTS =
  /\b(?:no|not|don'?t|do not|never|always|only|instead|must|should(?:n'?t)?|stop|wait|avoid|without|rather|keep|stay|before|first|make sure|too)\b/i;
/** A request of its own, unless it begins with what was wrong. */
const ASKS =
  /^(?!(?:no|nope|not|don'?t|never|always|it|that|this)\b).*\b(?:i want|i need|i'd like|i would like|can you|could you|something else|another thing|(?:first|second|next) thing)\b/is;
/** In words; a longer message is a request of its own. */
const MAX_CORRECTION_WORDS = 40;
const MAX_REFINEMENT_WORDS = 15;

/** Finds the job that a conversation did: the longest stretch that worked, with what repeats and what belongs to it. */
export function readJob({ events, workspace = "" }: Transcript): Job | undefined {
  const own = events.filter(({ agent }) => agent === undefined);
  const episodes = splitEpisodes(own, workspace.length < 4 ? undefined : `${workspace}/`);
  const main = episodes.reduce<Episode | undefined>(
    (best, one) => (one.deeds.length > (best?.deeds.length ?? 0) ? one : best),
    undefined,
  );
  if (main === undefined) return undefined;
  const [deeds, corrections, repeats] = [[...main.deeds], [...main.corrections], new Set<string>()];
  const said = [...main.said];
  let isOpen = !main.isApproved;
  for (const episode of episodes.slice(episodes.indexOf(main) + 1)) {
    const share = shared(episode, main);
    // "Start the axis at zero" has the same done again, and is not a request by itself.
    const isShort = wordsOf(episode.opening) <= MAX_REFINEMENT_WORDS;
    if (share >= 0.6 && (!isShort || hasCommonWord(episode.opening, main.opening)))
      repeats.add(episode.opening);
    else if (!isOpen && share === 0) continue;
    else if (isShort) corrections.push(episode.opening);
    deeds.push(...episode.deeds);
    corrections.push(...episode.corrections);
    said.push(...episode.said);
    isOpen = !episode.isApproved;
  }
  for (const episode of episodes.slice(0, episodes.indexOf(main)))
    if (shared(episode, main) >= 0.6) {
      repeats.add(episode.opening);
      deeds.unshift(...episode.deeds);
    }
  return {
    ...{ goal: main.opening, repeats: [...repeats], deeds, corrections: [...new Set(corrections)], said },
    looks: main.looks,
  };
}

function hasCommonWord(left: string, right: string): boolean {
  const have = new Set(tellingWords(right));
  return tellingWords(left).some((word) => word.length > 2 && have.has(word));
}

const wordsOf = (text: string): number => text.trim().split(/\s+/).length;

function splitEpisodes(events: readonly TranscriptEvent[], folder: string | undefined): readonly Episode[] {
  const inside = (text: string): string => (folder === undefined ? text : text.replaceAll(folder, ""));
  const episodes: Episode[] = [];
  let isStopped = false;
  // Formats without results leave the outcome open.
  const hasResults = events.some((event) => event.kind === "call" && event.outcome === "ok");
  for (const event of events) {
    const current = episodes.at(-1);
    if (event.kind === "typed") {
      const isCorrection = event.whileWorking === true || isStopped;
      isStopped = false;
      if (current === undefined || !takeReply(current, event.text, isCorrection)) begin(episodes, event.text);
    } else if (event.kind === "interruption") isStopped = true;
    else if (event.kind === "said") current?.said.push(event.text);
    else if (event.kind === "call" && current !== undefined) {
      current.said.push(textOf(event.input, "description") ?? "");
      if (event.feedback !== undefined) current.corrections.push(event.feedback);
      const isDone = event.outcome === "ok" || (event.outcome === "unknown" && !hasResults);
      if (isDone) takeDeed(current, event, inside);
    }
  }
  return episodes;
}

function begin(episodes: Episode[], text: string): void {
  const last = episodes.at(-1);
  // A message before anything was done belongs to the next: it says what the first left out.
  const joined = last?.deeds.length === 0 ? episodes.pop() : undefined;
  episodes.push({
    ...{ opening: joined === undefined ? text : `${joined.opening}\n${text}`, deeds: [], corrections: [] },
    ...{ said: joined?.said ?? [], looks: joined?.looks ?? new Set(), isApproved: false },
  });
}

/** Takes a message that is about what is being done; false for one that asks for something else. */
function takeReply(episode: Episode, text: string, isCorrection: boolean): boolean {
  if (APPROVAL.test(text.trim())) {
    episode.isApproved ||= episode.deeds.length > 0;
    return true;
  }
  // "Great. Second thing: …"
  if (/^(?:great|perfect|thanks?|nice|super|cool|awesome|excellent|lovely)\b/i.test(text.trim()))
    episode.isApproved ||= episode.deeds.length > 0;
  const isBusy = episode.deeds.length > 0 || episode.looks.size > 0;
  const isShort = wordsOf(text) <= MAX_CORRECTION_WORDS && !text.trim().endsWith("?");
  if (!isBusy || !isShort || !(isCorrection || RESTRICTS.test(text))) return false;
  if (/^(?:now |next |also )/i.test(text) || (wordsOf(text) > MAX_REFINEMENT_WORDS && ASKS.test(text)))
    return false;
  episode.corrections.push(text);
  episode.isApproved ||= APPROVES.test(text);
  return true;
}

function takeDeed(
  { deeds, looks }: Episode,
  { tool, input }: Extract<TranscriptEvent, { kind: "call" }>,
  inside: (text: string) => string,
): void {
  const call = readCall(tool, input);
  if (call.kind === "look") looks.add(call.tool);
  else if (call.kind === "edit") {
    if (call.files.length > 0) deeds.push({ kind: "edit", files: call.files.map(inside) });
  } else if (call.kind === "other")
    deeds.push({ kind: "other", tool: call.tool, fields: Object.keys(input) });
  else
    for (const command of generaliseCommand(inside(call.command)))
      if (command.isLook && /^(?:cat|head|tail|less|grep|rg|find|ls|git)\b/.test(command.key))
        looks.add("Read");
      else if (!command.isLook) deeds.push({ kind: "command", command });
}

const keyOf = (deed: Deed): string =>
  deed.kind === "command"
    ? deed.command.key
    : deed.kind === "edit"
      ? `edit ${deed.files.join(" ")}`
      : deed.tool;

/** How many of an episode's deeds are of the kinds that another one has. */
function shared(episode: Episode, other: Episode): number {
  const keys = new Set(other.deeds.map(keyOf));
  const own = new Set(episode.deeds.map(keyOf));
  return own.size === 0
    ? 0
    : [...own].filter((key) => keys.has(key)).length / Math.max(own.size, keys.size / 2);
}
