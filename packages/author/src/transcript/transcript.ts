import type { Diagnostic } from "@skillet/kit/diagnostics";
import { isJsonObject, type JsonObject, parseJson, present, textOf } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { cutText } from "@skillet/kit/text";

/** How a tool call ended; `unknown` if the transcript has no result for it. */
export type CallOutcome = "unknown" | "ok" | "failed" | "interrupted" | "denied";

interface Moment {
  /** ISO 8601, in UTC. */
  readonly time?: string;
  /** The sub-agent that did it; absent for the main agent. */
  readonly agent?: string;
}

interface Called extends Moment {
  readonly outcome: CallOutcome;
  /** The beginning and the end of the output. */
  readonly output?: string;
  /** The user's comment when denying the call. */
  readonly feedback?: string;
}

/** One event of a finished conversation; long texts are cut. */
export type TranscriptEvent =
  /** By the user; `whileWorking` if the model had not finished, which is often a correction. */
  | (Moment & { readonly kind: "typed"; readonly text: string; readonly whileWorking?: boolean })
  | (Moment & { readonly kind: "said"; readonly text: string })
  | (Called & { readonly kind: "call"; readonly tool: string; readonly input: JsonObject })
  | (Called & { readonly kind: "skill"; readonly name: string; readonly by: "person" | "model" | "host" })
  | (Called & { readonly kind: "sub-agent"; readonly name: string; readonly task: string })
  | (Moment & { readonly kind: "interruption" | "compaction" });

/** A finished conversation of a user with an agent, in any of the supported formats. */
export interface Transcript {
  readonly format: string;
  readonly id?: string;
  /** The title that it was given, or the beginning of the first typed message. */
  readonly title?: string;
  readonly workspace?: string;
  readonly events: readonly TranscriptEvent[];
  /** Reports lines that are damaged, too long or of an unknown kind, and events that were left out. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A format on disk: how to recognise its records, and how to read them. */
export interface TranscriptFormat {
  readonly name: string;
  recognises(record: JsonObject): boolean;
  /** Creates a reader that gets the records in order and returns false for a record that it does not know. */
  open(to: TranscriptBuilder): (record: JsonObject) => boolean;
}

// In characters. Commands and messages are kept whole; written files and outputs need not be.
const MAX_TYPED = 20_000;
const MAX_SAID = 4_000;
const MAX_INPUT = 8_000;
const MAX_OUTPUT = 2_000;
const MAX_NAME = 200;

/** The most that one conversation keeps. Of a longer one the middle is left out; the goal and the end remain. */
const MAX_EVENTS = 20_000;
const MAX_CHARACTERS = 8_000_000;
const MAX_DROPPED = 500;
const MAX_SKILLS = 1_000;
const MAX_TITLE = 80;

const RANKS: readonly CallOutcome[] = ["unknown", "ok", "failed", "interrupted", "denied"];
const SKILL_TOOLS: ReadonlySet<string> = new Set(
  "Skill skill load_skill activate_skill use_skill".split(" "),
);
const AGENT_TOOLS: ReadonlySet<string> = new Set("Task Agent delegate spawn_agent".split(" "));
const SKILL_FILE = /([^\s"'`=:/\\]+)[/\\]SKILL\.md\b/;

type Writable<Of> = { -readonly [Key in keyof Of]: Of[Key] };
type Each<Of> = Of extends TranscriptEvent ? Writable<Of> : never;
type Event = Each<TranscriptEvent>;
type Unplaced = Event extends infer One ? (One extends Event ? Omit<One, "time" | "agent"> : never) : never;

interface Kept {
  readonly event: Event;
  readonly entry: string;
  readonly characters: number;
  readonly callId: string | undefined;
}

export interface CallResult {
  readonly outcome: CallOutcome;
  readonly output?: string | undefined;
  readonly feedback?: string | undefined;
}

const UNKNOWN: CallResult = { outcome: "unknown" };

/** Collects events in bounded memory; `time`, `agent` and `entry` apply to the events that follow. */
export class TranscriptBuilder {
  time: string | undefined;
  agent: string | undefined;
  id: string | undefined;
  title: string | undefined;
  workspace: string | undefined;
  leftOut = 0;
  /** The entry of a tree that events come from; at the end, `isKept` tells which entries belong to the conversation. */
  entry = "";
  isKept: ((entry: string) => boolean) | undefined;
  /** Called after the last record. */
  atEnd: (() => void) | undefined;
  readonly #half: { readonly events: number; readonly characters: number };
  readonly #kept: Kept[] = [];
  /** Where the first half ends once it is full, and where the last half begins; events in between are dropped. */
  #end: number | undefined;
  #start = 0;
  /** Of the half that is being filled. */
  #characters = 0;
  readonly #calls = new Map<string, Kept>();
  readonly #skills = new Set<string>();
  #opening: string | undefined;

  /** @param share The share of the memory for a whole conversation, if this is a part of one. */
  constructor(share = 1) {
    this.#half = { events: (MAX_EVENTS / 2) * share, characters: (MAX_CHARACTERS / 2) * share };
  }

  /** Takes the id and the folder of the conversation, unless they are known already. */
  belongs(record: JsonObject, idKey: string): void {
    this.id ??= textOf(record, idKey);
    this.workspace ??= textOf(record, "cwd");
  }

  /** Sets the time of the events that follow, from any of the spellings that formats use. */
  at(time: unknown): void {
    if (time !== undefined) this.time = readTime(time) ?? this.time;
  }

  typed(text: string, options: { readonly whileWorking?: true } = {}): void {
    const kept = copy(text.trim(), MAX_TYPED);
    if (kept === "") return;
    this.#opening ??= kept;
    this.#add({ kind: "typed", text: kept, ...options });
  }

  said(text: string): void {
    const kept = copy(text.trim(), MAX_SAID);
    if (kept !== "") this.#add({ kind: "said", text: kept });
  }

  /** A known id is ignored, because formats repeat earlier messages. */
  call(id: string | undefined, tool: string, input: unknown, result: CallResult = UNKNOWN): void {
    if (id !== undefined && this.#calls.has(id)) return;
    const given = readInput(input);
    const { outcome } = result;
    const add = (event: Unplaced): void => settle(this.#add(event, id), result);
    if (SKILL_TOOLS.has(tool)) {
      const name = firstText(given, "skill", "name", "skill_name") ?? "";
      this.#skills.add(name);
      add({ kind: "skill", name: copy(name, MAX_NAME), by: "model", outcome });
    } else if (AGENT_TOOLS.has(tool)) {
      const name = firstText(given, "subagent_type", "agent_type") ?? tool;
      const task = firstText(given, "prompt", "task", "message", "description") ?? "";
      add({ kind: "sub-agent", name, task, outcome });
    } else {
      add({ kind: "call", tool: copy(tool, MAX_NAME), input: given, outcome });
      for (const key of ["command", "cmd", "file_path", "path"])
        this.skill(SKILL_FILE.exec(textOf(given, key) ?? "")?.[1] ?? "", "model");
    }
  }

  result(id: string | undefined, result: CallResult): void {
    const kept = id === undefined ? undefined : this.#calls.get(id);
    if (kept !== undefined) settle(kept.event, result);
  }

  /** Registers another id for a call, for example that of its approval request. */
  alias(id: string | undefined, callId: string | undefined): void {
    const kept = this.#calls.get(callId ?? "");
    if (this.#calls.size > 2 * MAX_EVENTS) this.#calls.clear();
    if (kept !== undefined && id !== undefined) this.#calls.set(id, kept);
  }

  /** Adds a skill that was active, by whatever evidence; only once, unless the user calls it again. */
  skill(name: string, by: "person" | "model" | "host"): void {
    if (name === "" || (by !== "person" && this.#skills.has(name)) || this.#skills.size >= MAX_SKILLS) return;
    this.#skills.add(name);
    this.#add({ kind: "skill", name: copy(name, MAX_NAME), by, outcome: "ok" });
  }

  interruption(): void {
    for (const { event } of this.#calls.values())
      if ("outcome" in event && event.outcome === "unknown") event.outcome = "interrupted";
    if (this.#latest?.kind !== "interruption") this.#add({ kind: "interruption" });
  }

  compaction(): void {
    if (this.#latest?.kind !== "compaction") this.#add({ kind: "compaction" });
  }

  /** The title, or the beginning of the first typed message, on one line. */
  shownTitle(): string | undefined {
    const title = (this.title ?? this.#opening)?.replaceAll(/\s+/g, " ").trim();
    return title === undefined || title.length <= MAX_TITLE ? title : `${cutText(title, MAX_TITLE - 1)}…`;
  }

  /** The events by time, including those of parts that were read separately. */
  finish(parts: readonly TranscriptBuilder[] = []): readonly TranscriptEvent[] {
    const own = this.#kept
      .filter((_, at) => this.#end === undefined || at < this.#end || at >= this.#start)
      .filter(({ entry }) => this.isKept?.(entry) !== false)
      .map(({ event }) => event);
    const all = [own, ...parts.map((part) => part.finish())].flat();
    if (parts.length > 0) all.sort((left, right) => compareByteOrder(left.time ?? "", right.time ?? ""));
    return all;
  }

  get #latest(): Event | undefined {
    return this.#kept.at(-1)?.event;
  }

  #add(event: Unplaced, callId?: string): Event {
    const placed = { ...event, ...present({ time: this.time, agent: this.agent }) } as Event;
    const characters = MAX_OUTPUT * Number("outcome" in event) + JSON.stringify(placed).length;
    const kept: Kept = { event: placed, entry: this.entry, characters, callId };
    if (callId !== undefined) this.#calls.set(callId, kept);
    this.#kept.push(kept);
    this.#characters += characters;
    const { events, characters: most } = this.#half;
    if (this.#end === undefined) {
      if (this.#kept.length < events && this.#characters < most) return placed;
      this.#start = this.#kept.length;
      this.#end = this.#start;
      this.#characters = 0;
    }
    for (; this.#kept.length - this.#start > events || this.#characters > most; this.#start += 1) {
      const oldest = this.#kept[this.#start] as Kept;
      this.#characters -= oldest.characters;
      if (oldest.callId !== undefined) this.#calls.delete(oldest.callId);
      this.leftOut += 1;
    }
    // Dropped events stay in memory until then.
    if (this.#start - this.#end > MAX_DROPPED) {
      this.#kept.splice(this.#end, this.#start - this.#end);
      this.#start = this.#end;
    }
    return placed;
  }
}

/** Of two results for a call, the worse one wins, for example an exit code beside an output. */
function settle(event: Event, { outcome, output, feedback }: CallResult): void {
  if (!("outcome" in event)) return;
  if (RANKS.indexOf(outcome) > RANKS.indexOf(event.outcome)) event.outcome = outcome;
  if (output !== undefined && output !== "") event.output ??= copyEnds(output.trim());
  if (feedback !== undefined && feedback.trim() !== "") event.feedback ??= copy(feedback.trim(), MAX_SAID);
}

export function firstText(value: unknown, ...keys: readonly string[]): string | undefined {
  return keys.map((key) => textOf(value, key)).find((text) => text !== undefined);
}

/** Normalises a time from any of the spellings that formats use. */
export function readTime(value: unknown): string | undefined {
  const milliseconds = typeof value === "string" ? Date.parse(value) : Number(value ?? Number.NaN);
  // Read as seconds up to the year 5138; as milliseconds, that number would be in 1973.
  const moment = new Date(milliseconds < 100_000_000_000 ? milliseconds * 1000 : milliseconds);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

/** A slice would keep the whole line that it was cut from in memory. */
function copy(text: string, maxCharacters: number): string {
  return Buffer.from(cutText(text, maxCharacters)).toString();
}

function copyEnds(text: string): string {
  if (text.length <= MAX_OUTPUT) return copy(text, MAX_OUTPUT);
  const end = copy(text.slice(-MAX_OUTPUT / 2).replace(/^[\udc00-\udfff]/, ""), MAX_OUTPUT);
  return `${copy(text, MAX_OUTPUT / 2)}\n…\n${end}`;
}

function readInput(input: unknown): JsonObject {
  const value = typeof input === "string" ? (parseJson(input) ?? input) : (input ?? {});
  const shorten = (_: string, item: unknown): unknown =>
    typeof item === "string" ? cutText(item, MAX_INPUT) : item;
  const text = JSON.stringify(isJsonObject(value) ? value : { input: value }, shorten);
  return text.length > 2 * MAX_INPUT ? { input: copy(text, MAX_INPUT) } : JSON.parse(text);
}
