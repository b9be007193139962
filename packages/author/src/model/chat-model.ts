import {
  askChat,
  type ChatAnswer,
  type ChatFailure,
  type ChatMessage,
  chatAddress,
  type OfferedTool,
} from "@skillet/kit/chat";
import { SkilletError } from "@skillet/kit/errors";
import { present } from "@skillet/kit/json";
import { showLine } from "@skillet/kit/text";

/** Which model to ask, and how to reach it. */
export interface ChatModelOptions {
  /** For example `https://api.openai.com/v1`; plain http is accepted for this machine only. */
  readonly endpoint: string;
  readonly model: string;
  /** Sent as a bearer token and nowhere else; absent for servers that need none. */
  readonly apiKey?: string;
}

/** Why an answer is missing. */
export interface ModelFailure {
  readonly kind: Exclude<ChatFailure["kind"], "unauthorized">;
  readonly message: string;
}

/** A model behind a chat completions API, as OpenAI and most others offer it. */
export interface ChatModel {
  /** For display, for example `qwen3 at http://127.0.0.1:11434/v1`. */
  readonly by: string;
  /** One turn. A server that is busy is asked again when it says so, within the deadline. */
  ask(
    messages: readonly ChatMessage[],
    options: {
      readonly tools?: readonly OfferedTool[];
      readonly deadline: AbortSignal;
      readonly signal?: AbortSignal;
    },
  ): Promise<ChatAnswer | { readonly failure: ModelFailure }>;
}

const MAX_RETRIES = 3;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Opens a model at an endpoint; the address is checked now, the first request is made by `ask`. */
export function createChatModel(options: ChatModelOptions): ChatModel {
  const address = chatAddress(options.endpoint);
  if (!("url" in address))
    throw new SkilletError(
      "eval-endpoint-invalid",
      `${address.shown} cannot be asked which skills it would use: ${address.problem}. Set eval.model.endpoint to an address like https://api.openai.com/v1.`,
    );
  // A header accepts no other characters, and the error of whatever rejects them would contain the key.
  if (options.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(options.apiKey))
    throw new SkilletError(
      "eval-key-invalid",
      "The key for the model of trigger evals contains invalid characters, for example a space or a line end; correct the variable that eval.model.apiKeyEnv names.",
    );
  return {
    // Both come from a config and are shown in tables and documents.
    by: showLine(`${options.model} at ${options.endpoint.replace(/\/$/, "")}`),
    ask: async (messages, { tools, deadline, signal }) => {
      const { endpoint, model, apiKey } = options;
      const answer = await askChat({
        url: address.url,
        body: { model, messages, ...(tools && { tools }) },
        deadline,
        signal,
        maxAnswerBytes: MAX_ANSWER_BYTES,
        maxRetries: MAX_RETRIES,
        ...present({ apiKey }),
      });
      if (!("failure" in answer)) return answer;
      const { kind, message, detail } = answer.failure;
      const refused = `${endpoint} does not accept the key, so that no query can be asked. Check the variable that eval.model.apiKeyEnv names.`;
      if (kind === "unauthorized")
        throw new SkilletError("eval-model-refused", refused, { data: { endpoint } });
      return { failure: { kind, message: detail === undefined ? message : `${message}: ${detail}` } };
    },
  };
}
