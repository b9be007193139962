import { SkilletError } from "@skillet/core";
import { fieldOf, textOf } from "@skillet/kit/json";
import { showLine } from "@skillet/kit/text";
import { AISDKError, APICallError, RetryError } from "ai";

const MAX_SHOWN_CHARACTERS = 200;

/** What a model's server did wrong, as an error that says what to do about it; any other error as it is. */
export function modelFailure(error: unknown): unknown {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  // The SDK wraps what reading an answer throws.
  for (let cause: unknown = last; cause instanceof Error; cause = cause.cause)
    if (SkilletError.isInstance(cause)) return cause;
  const failed = (message: string, data: Readonly<Record<string, unknown>> = {}): SkilletError =>
    new SkilletError("model-failed", message, { data, cause: error });
  if (APICallError.isInstance(last)) {
    const { statusCode: status, url } = last;
    const said = showLine(last.message).slice(0, MAX_SHOWN_CHARACTERS);
    return failed(`The model's server ${URL.parse(url)?.host ?? ""} ${describe(status, said)}`, { status });
  }
  if (AISDKError.isInstance(last))
    return failed(
      "The model's server answered with something that is not its protocol. Check the endpoint and `agent.model.protocol`.",
    );
  // In the middle of an answer: of an error that the server sends, only its kind is shown; the text may be anything.
  const isBroken = last instanceof TypeError && last.message === "terminated";
  if (last instanceof Error && !isBroken) return error;
  const kind = textOf(fieldOf(last, "error") ?? last, "type") ?? "";
  const why = /^[\w-]{1,60}$/.test(kind) ? ` (${kind})` : "";
  return failed(`The model's server broke off its answer${why}. Go on later: the conversation is kept.`);
}

function describe(status: number | undefined, said: string): string {
  if (status === undefined)
    return `cannot be reached: ${said}. Check the endpoint, and that the server runs.`;
  if (status === 401 || status === 403)
    return `refused the key (${status}). Check the key, and that it may use this model.`;
  if (status === 404)
    return "does not know the model or the address (404). Check the model's name and the endpoint.";
  if (status === 429) return "has had too many requests (429). Wait, then go on: the conversation is kept.";
  if (status >= 500) return `failed (${status}): ${said}. Go on later: the conversation is kept.`;
  return `answered ${status}: ${said}.`;
}
