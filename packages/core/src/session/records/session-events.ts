import type { Ask, Question } from "../../ask.ts";
import type { SessionOptions } from "../session.ts";
import type { Recorder } from "./recorder.ts";
import type { SessionRecord } from "./session-record.ts";

// A record goes by the word that hosts know it by; every other one by its kind.
const TYPES = {
  offer: "offered",
  activation: "activated",
  "resource-read": "read",
  "script-execution": "run",
  refusal: "refused",
} as const;

type Kind = SessionRecord["kind"];
type TypeOf<Of extends Kind> = Of extends keyof typeof TYPES ? (typeof TYPES)[Of] : Of;

interface EventBase {
  readonly runId: string;
  /** Of a fork. */
  readonly parentRunId?: string;
  readonly time: string;
}

/**
 * What happened in a session, once it is on record: without values that were given for skills, and without arguments and
 * messages unless the session records messages.
 */
export type SessionEvent =
  | {
      [Of in Kind]: EventBase & {
        readonly type: TypeOf<Of>;
        readonly record: Extract<SessionRecord, { readonly kind: Of }>;
      };
    }[Kind]
  | (EventBase & {
      readonly type: "asked";
      readonly question: Question;
      /** Absent where no answer came. */
      readonly choice?: string;
    });

type Listener = (event: SessionEvent) => void;
type Happened = { readonly type: string } & (
  | { readonly record: SessionRecord }
  | { readonly question: Question }
);

/** The name of the `node:diagnostics_channel` that every event is published on while it has subscribers. */
export const SESSION_CHANNEL = "skillet:session";

export interface SessionEvents {
  watchRecords(recorder: Recorder): Recorder;
  watchAsk(ask: Ask | undefined): Ask | undefined;
}

export function createEvents(
  { onEvent, recordMessages = false, clock = Date.now }: SessionOptions,
  {
    redact,
    ...ids
  }: Pick<EventBase, "runId" | "parentRunId"> & { readonly redact: (text: string) => string },
): SessionEvents {
  const emit = (happened: () => Happened): void => {
    // Not imported: some runtimes lack it.
    const channel = globalThis.process
      ?.getBuiltinModule?.("node:diagnostics_channel")
      .channel(SESSION_CHANNEL);
    const listeners: readonly Listener[] = [
      ...(onEvent === undefined ? [] : [onEvent]),
      ...(channel?.hasSubscribers === true ? [(event: SessionEvent) => channel.publish(event)] : []),
    ];
    if (listeners.length === 0) return;
    const event = { ...ids, time: new Date(clock()).toISOString(), ...happened() };
    const show = (key: string, value: unknown): unknown => {
      if (!recordMessages && PRIVATE.has(key)) return undefined;
      return typeof value === "string" ? redact(value) : value;
    };
    // A policy lists every skill, and nothing that was given for one.
    const shown = event.type === "policy" ? event : JSON.parse(JSON.stringify(event, show));
    for (const listener of listeners) notify(listener, shown);
  };
  return {
    watchRecords: (recorder) => ({
      ...recorder,
      append: async (record) => {
        await recorder.append(record);
        emit(() => ({
          type: record.kind in TYPES ? TYPES[record.kind as keyof typeof TYPES] : record.kind,
          record,
        }));
      },
    }),
    watchAsk: (ask) => {
      if (ask === undefined) return undefined;
      // A fork has its parent's, and its questions are its own.
      const bare = originals.get(ask) ?? ask;
      const watched: Ask = async (question, options) => {
        let choice: string | undefined;
        try {
          const answer = await bare(question, options);
          choice = answer?.choice;
          return answer;
        } finally {
          emit(() => ({ type: "asked", question, choice }));
        }
      };
      originals.set(watched, bare);
      return watched;
    },
  };
}

const PRIVATE: ReadonlySet<string> = new Set(["arguments", "args", "argv"]);
const originals = new WeakMap<Ask, Ask>();

/** Calls a host's listener, which must not break the session: its errors become warnings of the process. */
export function notify(listener: Listener, event: SessionEvent): void {
  const warn = (error: unknown): void =>
    globalThis.process?.emitWarning?.(`A listener of session events failed: ${String(error)}`);
  try {
    // An async function fits the type too, and its rejection would be unhandled.
    const returned: unknown = listener(event);
    if (returned instanceof Promise) returned.catch(warn);
  } catch (error) {
    warn(error);
  }
}
