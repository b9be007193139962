import type { Digest } from "@skillet/kit/digest";

export type QuestionKind =
  | "activate"
  | "tool"
  | "script"
  | "command"
  | "dependencies"
  | "drift"
  | "verdict"
  | "install"
  | "skillify";

/** One question to a person; `skill` and `digest` bind the answer to exactly what was shown. */
export interface Question {
  readonly kind: QuestionKind;
  /** The skill's qualified name; several, separated by commas, where one question covers them all. */
  readonly skill: string;
  readonly digest?: Digest;
  readonly reason: string;
  readonly choices: readonly string[];
  /** What would be called, for questions about one call. */
  readonly call?: { readonly tool: string; readonly input?: unknown };
  /** Over the run, kind, skill, digest and call: an answer that comes later, also in another process, names the question by it. */
  readonly id?: Digest;
  /** What the question is about, to be shown above it: a draft, a whole file, a diff. */
  readonly shown?: string;
  /** Any number of the choices may be taken, in the answer's `taken`; these unless the person says otherwise. */
  readonly taken?: readonly string[];
  /** What may be typed besides, into the answer's `text`. */
  readonly text?: string;
  /** Values that only the answer's `secrets` may carry: names and what they are for. */
  readonly secrets?: readonly SecretRequest[];
}

/** A value that a skill needs from a person. */
export interface SecretRequest {
  readonly name: string;
  /** Those that get it, by their full names: any skill can want a variable of another. */
  readonly skills: readonly string[];
  readonly prompt?: string;
  readonly help?: string;
  readonly optional?: boolean;
}

/** A person's answer; `secrets` never reach a model, a record or a message. */
export interface Answer {
  readonly choice: string;
  /** The `id` of its question; an answer that is given as an `approval` holds for no other. */
  readonly id?: Digest | undefined;
  readonly taken?: readonly string[] | undefined;
  readonly text?: string | undefined;
  readonly secrets?: Readonly<Record<string, string>> | undefined;
}

/** Options of every call that waits. An abort ends the wait with the signal's reason, and what it was for is not done. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The call of a host's loop that something is done for; records of it name both. */
export interface CalledBy {
  /** The agent or its SDK: `ai-sdk`, `claude-code`. */
  readonly host: string;
  /** The id that the model or the host gave to the call. */
  readonly callId?: string | undefined;
}

/** Options of a call that a person may have to approve. */
export interface ApprovalOptions extends CallOptions {
  readonly calledBy?: CalledBy | undefined;
  /** A person's answer to the question that `preflight` or an earlier call gave, with the question's `id`. */
  readonly approval?: Answer | undefined;
}

/** The one way to a person. Missing, failed, late or aborted means no; `signal` ends when the answer is no longer awaited. */
export type Ask = (
  question: Question,
  options: { readonly signal: AbortSignal },
) => Promise<Answer | undefined>;

/** An answer later than this is none. */
const MAX_WAIT_MS = 10 * 60 * 1000;

/** Told of an error inside a host's `ask`, which would otherwise look like a person's no. */
export type AskFailed = (question: Question, error: unknown) => Promise<void>;

/** Asks a person; no person, a failure, an abort or no answer in time means no. */
export async function askPerson(
  ask: Ask | undefined,
  question: Question,
  askFailed: AskFailed,
  given?: AbortSignal,
): Promise<Answer | undefined> {
  if (ask === undefined || given?.aborted === true) return undefined;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), MAX_WAIT_MS);
  const signal = given === undefined ? late.signal : AbortSignal.any([given, late.signal]);
  try {
    const answer = await unlessAborted(ask(question, { signal }), signal);
    // A host in JavaScript may answer null.
    return answer && question.choices.includes(answer.choice) ? answer : undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    // Whatever went wrong in the host, there was no yes; the question can be asked again.
    await askFailed(question, error);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Others may be waiting for the same, so an abort ends only this wait, with the signal's reason.
 *
 * @param discard Ends what was made for this caller alone, and came too late.
 */
export async function unlessAborted<Value>(
  made: Promise<Value>,
  signal: AbortSignal | undefined,
  discard?: (late: Value) => Promise<unknown>,
): Promise<Value> {
  if (signal === undefined) return made;
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: done.signal });
  });
  try {
    return await Promise.race([aborted, made]);
  } catch (error) {
    // The caller has its reason already, and is not told how the rest went.
    if (discard !== undefined) void made.then(discard).then(ignore, ignore);
    throw error;
  } finally {
    done.abort();
  }
}

const ignore = (): void => undefined;
