import { AsyncLocalStorage } from "node:async_hooks";
import type { Ask, CalledBy, Question } from "../../ask.ts";
import type { SessionOptions } from "../session.ts";
import type { Recorder } from "./recorder.ts";
import type { SessionRecord } from "./session-record.ts";

type Kind = SessionRecord["kind"];

interface EventBase {
  readonly runId: string;
  /** Present in a fork. */
  readonly parentRunId?: string;
  readonly time: string;
}

/**
 * What happened in a session: a record by its kind, once it is written, or an answered question. Values given
 * for skills are redacted; arguments, tool inputs, tasks of forks and messages are included only if the
 * session records messages.
 */
export type SessionEvent = EventBase &
  (
    | {
        [Of in Kind]: { readonly type: Of; readonly record: Extract<SessionRecord, { readonly kind: Of }> };
      }[Kind]
    // No choice if no answer came.
    | { readonly type: "asked"; readonly question: Question; readonly choice?: string | undefined }
  );

/** Every event is published on this `node:diagnostics_channel` while it has subscribers. */
export const SESSION_CHANNEL = "skillet:session";
// A question's call contains a tool's input, and a fork's context what its parent was asked for.
const PRIVATE: ReadonlySet<string> = new Set(["arguments", "args", "argv", "call", "context"]);
const originals = new WeakMap<Ask, Ask>();

export function createEvents(
  { onEvent, recordMessages = false, clock = Date.now }: SessionOptions,
  ids: Omit<EventBase, "time">,
  redact: (text: string) => string,
) {
  const emit = (happened: object): void => {
    // Not imported, because some runtimes lack it.
    const diagnostics = globalThis.process?.getBuiltinModule?.("node:diagnostics_channel");
    const channel = diagnostics?.channel(SESSION_CHANNEL);
    const isHeard = channel?.hasSubscribers === true;
    if (onEvent === undefined && !isHeard) return;
    const show = (key: string, value: unknown): unknown => {
      if (!recordMessages && PRIVATE.has(key)) return undefined;
      return typeof value === "string" ? redact(value) : value;
    };
    const event = { ...ids, time: new Date(clock()).toISOString(), ...happened };
    const shown: SessionEvent = JSON.parse(JSON.stringify(event, show));
    if (isHeard) channel.publish(shown);
    void notify(onEvent, shown);
  };
  return {
    watchRecords: (recorder: Recorder): Recorder => ({
      ...recorder,
      append: async (record) => {
        const called = { ...record, ...currentCall() };
        await recorder.append(called);
        emit({ type: called.kind, record: recordMessages ? called : withoutInput(called) });
      },
    }),
    watchAsk: (given: Ask): Ask => {
      // A fork gets its parent's watched `ask`, but its questions are events of its own.
      const ask = originals.get(given) ?? given;
      const watched: Ask = async (question, options) => {
        let choice: string | undefined;
        try {
          const answer = await ask(question, options);
          choice = answer?.choice;
          return answer;
        } finally {
          emit({ type: "asked", question, choice });
        }
      };
      originals.set(watched, ask);
      return watched;
    },
  };
}

// Of a refused tool, only the name: its input is what a model was told to do.
function withoutInput(record: SessionRecord): SessionRecord {
  if (record.kind !== "refusal" || record.what !== "tool") return record;
  return { ...record, subject: record.subject.split(/\s/, 1)[0] ?? "" };
}

// A host's listener may be async and must not break the session: its errors become process warnings.
async function notify(listener: SessionOptions["onEvent"], event: SessionEvent): Promise<void> {
  try {
    await listener?.(event);
  } catch (error) {
    globalThis.process?.emitWarning?.(`A listener of session events failed: ${String(error)}`);
  }
}

// Carried along with the call, because its records are written in a dozen places.
const calls = new AsyncLocalStorage<CalledBy>();

// Hosts and models choose these texts.
const MAX_CHARACTERS = 200;

/** Runs an action whose records name the call in the host's loop that it belongs to. */
export function recordedAs<Result>(by: CalledBy | undefined, action: () => Result): Result {
  return by === undefined ? action() : calls.run(by, action);
}

/** The call that the current record is written for. */
function currentCall(): { readonly host?: string; readonly callId?: string } {
  const { host, callId } = calls.getStore() ?? {};
  return {
    ...(typeof host === "string" && { host: host.slice(0, MAX_CHARACTERS) }),
    ...(typeof callId === "string" && { callId: callId.slice(0, MAX_CHARACTERS) }),
  };
}
