import type { Digest } from "@skillet/kit/digest";

export type QuestionKind =
  | "activate"
  | "tool"
  | "script"
  | "command"
  | "dependencies"
  | "drift"
  | "verdict"
  | "install";

/** One question to a person; `skill` and `digest` bind the answer to exactly what was shown. */
export interface Question {
  readonly kind: QuestionKind;
  /** The skill's qualified name; several, separated by commas, where one question covers them all. */
  readonly skill: string;
  readonly digest?: Digest;
  readonly reason: string;
  readonly choices: readonly string[];
  /** Values that only the answer's `secrets` may carry: names and what they are for. */
  readonly secrets?: readonly SecretRequest[];
}

/** A value that a skill needs from a person. */
export interface SecretRequest {
  readonly name: string;
  readonly prompt?: string;
  readonly help?: string;
  readonly optional?: boolean;
}

/** A person's answer; `secrets` never reach a model, a record or a message. */
export interface Answer {
  readonly choice: string;
  readonly secrets?: Readonly<Record<string, string>>;
}

/** The one way to a person. Missing, failed or late means no. */
export type Ask = (question: Question) => Promise<Answer | undefined>;

/** An answer later than this is none. */
const MAX_WAIT_MS = 10 * 60 * 1000;

/** Told of an error inside a host's `ask`, which would otherwise look like a person's no. */
export type AskFailed = (question: Question, error: unknown) => Promise<void>;

/** Asks a person; no person, a failure or no answer in time means no. */
export async function askPerson(
  ask: Ask | undefined,
  question: Question,
  askFailed: AskFailed,
): Promise<Answer | undefined> {
  if (ask === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), MAX_WAIT_MS);
  });
  try {
    const answer = await Promise.race([ask(question), late]);
    // A host in JavaScript may answer null.
    return answer && question.choices.includes(answer.choice) ? answer : undefined;
  } catch (error) {
    // Whatever went wrong in the host, there was no yes; the question can be asked again.
    await askFailed(question, error);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
