import { SkilletError } from "@skillet/core";
import { showLine } from "@skillet/kit/text";
import { AISDKError, APICallError, RetryError } from "ai";

const MAX_SHOWN_CHARACTERS = 200;
// Servers repeat keys in what they answer.
const KEY = /\b(?:sk|key)-[\w*-]{4,}/gi;

/** What a model's server did wrong, as an error that says what to do about it; any other error as it is. */
export function modelFailure(error: unknown): unknown {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  if (SkilletError.isInstance(last)) return last;
  if (APICallError.isInstance(last)) {
    const { statusCode: status, url } = last;
    const said = showLine(last.message).replace(KEY, "…").slice(0, MAX_SHOWN_CHARACTERS);
    const message = `The model's server ${URL.parse(url)?.host ?? ""} ${describe(status, said)}`;
    return new SkilletError("model-failed", message, { data: { status }, cause: error });
  }
  if (!AISDKError.isInstance(last)) return error;
  const message =
    "The model's server answered with something that is not its protocol. Check the endpoint and `agent.model.protocol`.";
  return new SkilletError("model-failed", message, { data: {}, cause: error });
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
