import type { Answer, Ask, Question } from "../ask.ts";

/** An answer later than this is none. */
const MAX_WAIT_MS = 10 * 60 * 1000;

/** Asks a person; nobody there, a failure or no answer in time means no. */
export async function askPerson(ask: Ask | undefined, question: Question): Promise<Answer | undefined> {
  if (ask === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), MAX_WAIT_MS);
  });
  try {
    const answer = await Promise.race([ask(question), late]);
    return answer !== undefined && question.choices.includes(answer.choice) ? answer : undefined;
  } catch (_hostFailure) {
    // Whatever went wrong in the host, nobody said yes; the question can be asked again.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
