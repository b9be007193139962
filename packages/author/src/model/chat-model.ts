import { setTimeout as delay } from "node:timers/promises";
import { chatAddress } from "@skillet/kit/chat";
import { SkilletError } from "@skillet/kit/errors";
import { showLine } from "@skillet/kit/text";
import type { ChatAnswer, ChatMessage } from "./chat-message.ts";
import { readAnswer } from "./read-answer.ts";
import { readFailure } from "./read-failure.ts";

/** Which model is asked, and how. */
export interface ChatModelOptions {
  /** Such as `https://api.openai.com/v1`; plain http on this machine only. */
  readonly endpoint: string;
  readonly model: string;
  /** Sent as a bearer token and nowhere else; absent for servers that want none. */
  readonly apiKey?: string;
}

/** Why an answer is missing. */
export interface ModelFailure {
  readonly kind: "timeout" | "status" | "unreachable" | "garbage";
  /** For people. */
  readonly message: string;
}

/** A tool that a model is offered, as chat completions have it. */
export interface OfferedTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/** A model behind chat completions, as OpenAI and most others speak them. */
export interface ChatModel {
  /** For people, such as `qwen3 at http://127.0.0.1:11434/v1`. */
  readonly by: string;
  /** One turn; a server that is busy is asked again when it says so, within the deadline. */
  ask(
    messages: readonly ChatMessage[],
    options: {
      readonly tools: readonly OfferedTool[];
      readonly deadline: AbortSignal;
      readonly signal?: AbortSignal;
    },
  ): Promise<ChatAnswer | { readonly failure: ModelFailure }>;
}

const MAX_RETRIES = 3;
const DEFAULT_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** Opens a model at an endpoint, which is checked here and asked later. */
export function createChatModel(options: ChatModelOptions): ChatModel {
  const address = chatAddress(options.endpoint);
  if (!("url" in address))
    throw new SkilletError(
      "eval-endpoint-invalid",
      `${address.shown} cannot be asked which skills it would use: ${address.problem}. Set eval.model.endpoint to an address like https://api.openai.com/v1.`,
    );
  // A header takes no other characters, and what refuses them would repeat the key.
  if (options.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(options.apiKey))
    throw new SkilletError(
      "eval-key-invalid",
      "The key for the model of trigger evals holds characters that no key has, such as a space or a line end; correct the variable that eval.model.apiKeyEnv names.",
    );
  return {
    // Both come from a config, and stand in tables and documents.
    by: showLine(`${options.model} at ${options.endpoint.replace(/\/$/, "")}`),
    ask: async (messages, { tools, deadline, signal }) => {
      const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      try {
        return await askPatiently(address.url, { ...options, messages, tools, signal: either });
      } catch (error) {
        signal?.throwIfAborted();
        if (deadline.aborted) return failed("timeout", "no answer came in time");
        // What fetch throws for a network that does not work is a TypeError, which says little; its cause does.
        if (!(error instanceof TypeError)) throw error;
        const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
        return failed(
          "unreachable",
          `the endpoint could not be reached${code === undefined ? "" : ` (${code})`}`,
        );
      }
    },
  };
}

interface Request extends ChatModelOptions {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly OfferedTool[];
  readonly signal: AbortSignal;
}

async function askPatiently(
  url: URL,
  request: Request,
): Promise<ChatAnswer | { readonly failure: ModelFailure }> {
  for (let tries = 0; ; tries += 1) {
    const response = await post(url, request);
    if (response.ok)
      return (
        (await readAnswer(response)) ?? failed("garbage", "the answer is no chat completion, or too long")
      );
    const { status, headers } = response;
    if (status !== 401 && ((status !== 429 && status !== 503) || tries >= MAX_RETRIES)) {
      const said = await readFailure(response, request.apiKey);
      const told = `the endpoint answered with status ${status}`;
      return failed("status", said === undefined ? told : `${told}: ${said}`);
    }
    // What is said about a key may repeat it.
    await response.body?.cancel();
    if (status === 401) throw refused(request);
    await delay(waitMs(headers.get("retry-after")), undefined, { signal: request.signal });
  }
}

function post(url: URL, { model, apiKey, messages, tools, signal }: Request): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, messages, tools }),
    // Another address has not been checked, and must not get the key.
    redirect: "error",
    signal,
  });
}

function failed(kind: ModelFailure["kind"], message: string): { readonly failure: ModelFailure } {
  return { failure: { kind, message } };
}

function refused({ endpoint }: ChatModelOptions): SkilletError {
  return new SkilletError(
    "eval-model-refused",
    `${endpoint} does not accept the key, so that no query can be asked. Check the variable that eval.model.apiKeyEnv names.`,
    { data: { endpoint } },
  );
}

// Seconds, or a date; a server that asks for more patience than a run has is left by the deadline.
function waitMs(header: string | null): number {
  if (header === null) return DEFAULT_WAIT_MS;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  if (Number.isNaN(milliseconds)) return DEFAULT_WAIT_MS;
  return Math.min(MAX_WAIT_MS, Math.max(0, milliseconds));
}
