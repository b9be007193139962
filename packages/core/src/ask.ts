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

/** One question to the user; `skill` and `digest` bind the answer to exactly what was shown. */
export interface Question {
  readonly kind: QuestionKind;
  /** The skill's qualified name; several, separated by commas, if one question covers them all. */
  readonly skill: string;
  readonly digest?: Digest;
  readonly reason: string;
  readonly choices: readonly string[];
  /** The intended call, for questions about one call. */
  readonly call?: { readonly tool: string; readonly input?: unknown };
  /** Hash of run, kind, skill, digest and call; a later answer, even from another process, refers to it. */
  readonly id?: Digest;
  /** What the question is about, shown above it: a draft, a whole file, a diff. */
  readonly shown?: string;
  /** Default of the answer's `taken`, if any number of choices may be taken. */
  readonly taken?: readonly string[];
  /** A label for free text, which goes into the answer's `text`. */
  readonly text?: string;
  /** Values that only the answer's `secrets` may carry: names and purposes. */
  readonly secrets?: readonly SecretRequest[];
}

/** A value that a skill needs from the user. */
export interface SecretRequest {
  readonly name: string;
  /** The skills that get it, by full name: any skill can ask for another skill's variable. */
  readonly skills: readonly string[];
  readonly prompt?: string;
  readonly help?: string;
  readonly optional?: boolean;
}

/** The user's answer; `secrets` never reach a model, a record or a message. */
export interface Answer {
  readonly choice: string;
  /** The `id` of the question; an answer that is passed as an `approval` is valid only for that question. */
  readonly id?: Digest | undefined;
  readonly taken?: readonly string[] | undefined;
  readonly text?: string | undefined;
  readonly secrets?: Readonly<Record<string, string>> | undefined;
}

/** Options of every call that waits. An abort rejects with the signal's reason; the action is not done. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The call of a host's loop that causes an action; both are part of its records. */
export interface CalledBy {
  /** The agent or its SDK: `ai-sdk`, `claude-code`. */
  readonly host: string;
  /** The id of the call, from the model or the host. */
  readonly callId?: string | undefined;
}

/** Options of a call that a user may have to approve. */
export interface ApprovalOptions extends CallOptions {
  readonly calledBy?: CalledBy | undefined;
  /** The user's answer to a question from `preflight` or an earlier call, with the question's `id`. */
  readonly approval?: Answer | undefined;
}

/** Asks the user. No answer, a failure, a late answer or an abort means no; `signal` ends the wait. */
export type Ask = (
  question: Question,
  options: { readonly signal: AbortSignal },
) => Promise<Answer | undefined>;

/** A later answer counts as none. */
const MAX_WAIT_MS = 10 * 60 * 1000;

/** Gets errors of a host's `ask`, which would otherwise look like the user's no. */
export type AskFailed = (question: Question, error: unknown) => Promise<void>;

/** Asks the user; without a user, after a failure or abort, or without a timely answer, it is a no. */
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
    // Whatever went wrong in the host, nothing was approved; the question can be asked again.
    await askFailed(question, error);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Others may wait for the same result, so an abort ends only this wait, with the signal's reason.
 *
 * @param discard Closes a late result that was made for this caller alone.
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
    // The caller already has the reason; a failure of the discarded work is not reported.
    if (discard !== undefined) void made.then(discard).then(ignore, ignore);
    throw error;
  } finally {
    done.abort();
  }
}

const ignore = (): void => undefined;
