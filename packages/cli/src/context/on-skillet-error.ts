import { SkilletError } from "@skillet/kit/errors";

/** For `catch`: answers a SkilletError with one of these codes, or any, and throws everything else again. */
export function onSkilletError<Answer>(
  answer: (error: SkilletError) => Answer,
  ...codes: readonly string[]
): (error: unknown) => Answer {
  return (error) => {
    if (!SkilletError.isInstance(error) || (codes.length > 0 && !codes.includes(error.code))) throw error;
    return answer(error);
  };
}
