import type { Transcript, TranscriptEvent } from "../transcript/transcript.ts";
import { type GeneralCommand, generaliseCommand, readCall } from "./general-command.ts";
import { isOrder, tellingWords } from "./subjects.ts";

/** One action that worked: a program that ran, files that were changed, or a call of another tool. */
export type Deed =
  | { readonly kind: "command"; readonly command: GeneralCommand }
  | { readonly kind: "edit"; readonly files: readonly string[] }
  | { readonly kind: "other"; readonly tool: string; readonly fields: readonly string[] };

/** Replaces the name of a tool if it may be private. */
export const HIDDEN_TOOL = "tool";

/** What a conversation was about: one request, what was done for it, and what the user said on the way. */
export interface Job {
  readonly goal: string;
  /** The agent's title for the conversation, if its format has one. */
  readonly title?: string;
  /** Other requests for the same job in the same conversation. */
  readonly repeats: readonly string[];
  /** In order, without failed, denied or merely looking actions; the last time, if the job was done repeatedly. */
  readonly deeds: readonly Deed[];
  /** Deeds of the earlier times. */
  readonly earlier: readonly Deed[];
  readonly corrections: readonly string[];
  /** Tools that were used to look around; a command has an empty name. */
  readonly looks: ReadonlySet<string>;
}

/** A message that the user typed, and what was done before the next one. */
interface Turn {
  readonly text: string;
  /** Typed while the agent worked, or after it was stopped. */
  readonly isCorrection: boolean;
  readonly deeds: Deed[];
  /** How many deeds there were when the first call failed. */
  failedAt?: number;
  /** Comments of the user on calls that they denied. */
  readonly feedback: string[];
  readonly looks: Set<string>;
}

/** A request with the turns that belong to it. */
interface Stretch extends Omit<Turn, "text" | "isCorrection" | "feedback"> {
  goal: string;
  readonly repeats: Set<string>;
  readonly corrections: Set<string>;
  /** The positions in the deeds where the user asked for the same again. */
  readonly again: number[];
  isApproved: boolean;
}

const APPROVAL =
  /^(?:(?:ok(?:ay)?|yes|yep|great|perfect|nice|good|thanks?|thank you|cool|awesome|excellent|lgtm|done|works?|super|sure|fine|looks|it|now|that'?s?|very|all|so|much|well|again|job|go ahead|y)\b[\s,.!:)]*)+$/i;
/** "Great. Second thing: …" */
const PRAISES =
  /^(?:(?:great|perfect|thanks?(?: you)?|nice|super|cool|awesome|excellent|lovely)\b[\s,.!:)]*)+/i;
/** "Yes, remove it. I also need …" continues with what the agent proposed. */
const AGREES =
  /^(?:(?:yes|yep|yeah|ja|genau|oui|sí)(?!\p{L})|(?:sure|right|exactly|correct|go ahead|si)(?:[,.!]|$| (?:and|please)\b))/iu;
const NEXT = /^(?:now |next |also )/i;
const RULES = /^(?:no|not|don'?t|do not|never|always|only|next time|please)\b/i;
const RESTRICTS =
  /\b(?:no|not|don'?t|do not|never|always|only|instead|must|should(?:n'?t)?|stop|wait|avoid|without|rather|keep|stay|before|first|make sure|too)\b/i;
/** A separate request, unless it begins with what was wrong. */
const ASKS =
  /^(?!(?:no|nope|not|don'?t|never|always|it|that|this)\b).*\b(?:i want|i need|i'd like|i would like|can you|could you|something else|another thing|(?:first|second|next) thing)\b/is;

/** Finds the job of a conversation: the stretch with the most successful actions, from its request to the end. */
export function readJob({ events, title = "", workspace = "" }: Transcript): Job | undefined {
  const own = events.filter(({ agent }) => agent === undefined);
  const turns = splitTurns(own, workspace.length < 4 ? undefined : `${workspace}/`);
  const stretches: Stretch[] = [];
  for (const turn of turns) {
    const current = stretches.at(-1);
    const isLast = turn === turns.at(-1);
    if (current === undefined || isAnotherJob(turn, current)) stretches.push(begin(turn));
    else {
      takeReply(current, turn, isLast);
      if (turn.failedAt !== undefined) current.failedAt ??= current.deeds.length + turn.failedAt;
      current.deeds.push(...turn.deeds);
      for (const look of turn.looks) current.looks.add(look);
    }
    for (const text of turn.feedback) stretches.at(-1)?.corrections.add(text);
  }
  const most = Math.max(1, ...stretches.map(({ deeds }) => deeds.length));
  const found = stretches.find(({ deeds }) => deeds.length === most);
  const isTyped = turns[0]?.text.replaceAll(/\s+/g, " ").startsWith(title.replace(/…$/, "").trim());
  return (
    found && {
      ...found,
      ...lastTime(found),
      repeats: [...found.repeats],
      corrections: [...found.corrections],
      ...(title !== "" && isTyped === false && { title }),
    }
  );
}

/** The share of the first time's deeds that a repetition needs to count as complete. */
const WHOLE = 0.6;

/** The last time that the job was done completely, preceded by what prepared the first time before anything failed. */
function lastTime({ deeds, again, failedAt = deeds.length }: Stretch): Pick<Job, "deeds" | "earlier"> {
  const first = deeds.slice(0, again[0]);
  const from = again.findLast((start, index) => isWhole(deeds.slice(start, again[index + 1]), first));
  if (from === undefined) return { deeds, earlier: [] };
  const last = deeds.slice(from, again[again.indexOf(from) + 1]);
  const keys = new Set(last.map(keyOf));
  const begun = first.findIndex((deed) => keys.has(keyOf(deed)));
  return { deeds: [...first.slice(0, Math.min(failedAt, begun)), ...last], earlier: deeds.slice(0, from) };
}

/** Whether a job was repeated completely, including what others see. */
function isWhole(deeds: readonly Deed[], first: readonly Deed[]): boolean {
  const keys = new Set(deeds.map(keyOf));
  const isEnded = first.every((deed) => !isOutward(deed) || keys.has(keyOf(deed)));
  return isEnded && first.filter((deed) => keys.has(keyOf(deed))).length >= first.length * WHOLE;
}

const OUTWARD =
  /^(?!git (?:apply|stash)\b).*(?<![a-z])(?:push|publish|deploy|upload|send|submit|apply|(?:pr|mr|release) (?:create|merge|edit|ready)|scp|sftp|rsync|sendmail|msmtp)(?![a-z])/;

const READS = /^(?!go ).* (?:shortlog|logs?|view|list|get|describe|show|history|ls|ps|top|outdated|output)$/;

/** Whether a program only shows something, which may be what the job was for. */
export const isRead = ({ key }: GeneralCommand): boolean => READS.test(key);

/** Whether others see the result. */
export const isOutward = (deed: Deed): boolean => deed.kind !== "edit" && OUTWARD.test(keyOf(deed));

function splitTurns(events: readonly TranscriptEvent[], folder: string | undefined): readonly Turn[] {
  const inside = (text: string): string => (folder === undefined ? text : text.replaceAll(folder, ""));
  const turns: Turn[] = [];
  let isStopped = false;
  // Formats without results do not say whether a call worked.
  const hasResults = events.some((event) => event.kind === "call" && event.outcome === "ok");
  const unused = unusedCalls(events);
  for (const event of events) {
    const current = turns.at(-1);
    if (event.kind === "typed") {
      const isCorrection = event.whileWorking === true || isStopped;
      isStopped = false;
      turns.push({ text: event.text.trim(), isCorrection, deeds: [], feedback: [], looks: new Set() });
    } else if (event.kind === "interruption") isStopped = true;
    else if (event.kind === "call" && current !== undefined) {
      if (event.feedback !== undefined) current.feedback.push(event.feedback);
      const isDone = event.outcome === "ok" || (event.outcome === "unknown" && !hasResults);
      if (isDone) takeDeed(current, event, { inside, isUnused: unused.has(event) });
      else current.failedAt ??= current.deeds.length;
    }
  }
  return turns;
}

/** Calls followed by another in the same turn, whose output has words new to the user that no later call uses. */
function unusedCalls(events: readonly TranscriptEvent[]): ReadonlySet<TranscriptEvent> {
  const unused = new Set<TranscriptEvent>();
  const said = new Set(events.flatMap((event) => (event.kind === "typed" ? tellingWords(event.text) : [])));
  const later = new Set<string>();
  let isFollowed = false;
  for (const event of events.toReversed()) {
    if (event.kind === "typed") isFollowed = false;
    if (event.kind !== "call") continue;
    const shown = tellingWords(event.output ?? "").filter((word) => word.length > 3 && !said.has(word));
    if (isFollowed && shown.length > 0 && !shown.some((word) => later.has(word))) unused.add(event);
    for (const word of tellingWords(JSON.stringify(event.input))) later.add(word);
    isFollowed = true;
  }
  return unused;
}

function begin({ text, ...turn }: Turn): Stretch {
  return { ...turn, goal: text, again: [], repeats: new Set(), corrections: new Set(), isApproved: false };
}

/** Whether a message asks for something unrelated to what was being done. */
function isAnotherJob(turn: Turn, { deeds, goal, isApproved }: Stretch): boolean {
  if (deeds.length === 0 || turn.deeds.length === 0 || APPROVAL.test(turn.text) || AGREES.test(turn.text))
    return false;
  const share = shared(turn.deeds, deeds);
  if (isApproved || PRAISES.test(turn.text)) return share < 0.3 && !hasCommonWord(turn.text, goal);
  return share === 0 && !turn.isCorrection && (NEXT.test(turn.text) || ASKS.test(turn.text));
}

/** Handles a message about the current job: more of the request, an approval, a repetition, or a correction. */
function takeReply(stretch: Stretch, { text, deeds, isCorrection }: Turn, isLast: boolean): void {
  const isBusy =
    stretch.deeds.length > 0 || (stretch.looks.size > 0 && RESTRICTS.test(text) && !ASKS.test(text));
  const isTold = hasCommonWord(text, stretch.goal);
  const done = new Set(stretch.deeds.map(keyOf));
  // "The same for German": the actions show that it is a repetition, if they change other files.
  const isOther = deeds.some((deed) => deed.kind === "edit" && !done.has(keyOf(deed)));
  const isSame =
    stretch.deeds.length > 0 &&
    (isTold || isOther) &&
    isWhole(deeds, stretch.deeds.slice(0, stretch.again[0]));
  const isNext = NEXT.test(text) && isOrder(text.replace(NEXT, ""));
  if (APPROVAL.test(text)) stretch.isApproved ||= isBusy;
  else if (!isBusy) stretch.goal += `\n${text}`;
  else if (isSame && (stretch.isApproved || isNext || !(isCorrection || RESTRICTS.test(text)))) {
    if (isTold) stretch.repeats.add(text.replace(PRAISES, "").replace(NEXT, ""));
    stretch.again.push(stretch.deeds.length);
  }
  // Nothing was done after the last message, so it says how the job went, unless it is a rule for the next time.
  else if (!isLast || deeds.length > 0 || isCorrection || RULES.test(text)) stretch.corrections.add(text);
  stretch.isApproved ||= isBusy && PRAISES.test(text);
}

function hasCommonWord(left: string, right: string): boolean {
  const have = new Set(tellingWords(right));
  return tellingWords(left).some((word) => word.length > 2 && have.has(word));
}

function takeDeed(
  { deeds, looks }: Turn,
  { tool, input }: Extract<TranscriptEvent, { kind: "call" }>,
  { inside, isUnused }: { readonly inside: (text: string) => string; readonly isUnused: boolean },
): void {
  const call = readCall(tool, input);
  if (call.kind === "look") looks.add(call.tool);
  else if (call.kind === "edit") {
    if (call.files.length > 0) deeds.push({ kind: "edit", files: call.files.map(inside) });
  } else if (call.kind === "other")
    deeds.push({ kind: "other", tool: call.tool, fields: Object.keys(input) });
  // An agent may look around in any case, so a skill needs no rule for it.
  else
    for (const command of generaliseCommand(inside(call.command)))
      if (command.isLook && /^(?:cat|head|tail|less|grep|rg|find|ls|git)\b/.test(command.key)) looks.add("");
      else if (!command.isLook && !(isUnused && isRead(command))) deeds.push({ kind: "command", command });
}

const keyOf = (deed: Deed): string =>
  deed.kind === "command"
    ? deed.command.key
    : deed.kind === "edit"
      ? `edit ${deed.files.join(" ")}`
      : deed.tool;

/** The share of deeds whose kinds also occur among the others. */
function shared(some: readonly Deed[], others: readonly Deed[]): number {
  const [own, keys] = [some, others].map((deeds) => new Set(deeds.map(keyOf)));
  if (own === undefined || keys === undefined || own.size === 0) return 0;
  return [...own].filter((key) => keys.has(key)).length / Math.max(own.size, keys.size / 2);
}
