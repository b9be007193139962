import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { SkilletError } from "@skillet/core";
import { chatAddress, withoutKey } from "@skillet/kit/chat";
import { readBoundedBody } from "@skillet/kit/network";
import type { LanguageModel } from "ai";

/** A model's endpoint and how to call it. */
export interface ModelSettings extends AnswerBounds {
  readonly protocol: "openai" | "anthropic";
  /** For example `https://api.openai.com/v1`; plain http is allowed on this machine only. */
  readonly endpoint: string;
  readonly model: string;
  /** Sent to the endpoint and nowhere else; absent for servers that need none. */
  readonly apiKey?: string | undefined;
}

/**
 * Opens a model at an endpoint that speaks OpenAI's chat completions or Anthropic's messages.
 *
 * @example
 * openModel({ protocol: "openai", endpoint: "http://127.0.0.1:11434/v1", model: "qwen3" });
 */
export function openModel({
  protocol,
  endpoint,
  model,
  apiKey,
  ...bounds
}: ModelSettings): Exclude<LanguageModel, string> {
  const address = chatAddress(endpoint);
  if (!("url" in address)) {
    const { shown, problem } = address;
    const message = `${shown} cannot be asked: ${problem}.`;
    throw new SkilletError("model-endpoint-invalid", message, { data: { endpoint: shown } });
  }
  const baseURL = endpoint.replace(/\/$/, "");
  const bounded = boundedFetch(apiKey, bounds);
  if (protocol === "anthropic")
    return createAnthropic({ baseURL, apiKey: apiKey ?? "none", fetch: bounded })(model);
  return createOpenAICompatible({
    name: "model",
    baseURL,
    includeUsage: true,
    fetch: bounded,
    ...(apiKey !== undefined && { apiKey }),
  })(model);
}

/** Bounds for one answer of a model's server. */
export interface AnswerBounds {
  /** How long it may send nothing. The default is below Node's five minutes, whose error says less. */
  readonly silenceMs?: number | undefined;
  /** How long an answer may take in all: a server that sends a byte now and then is never silent. */
  readonly answerMs?: number | undefined;
  readonly answerBytes?: number | undefined;
}

const SILENCE_MS = 290_000;
const ANSWER_MS = 30 * 60_000;
const ANSWER_BYTES = 64 * 1024 * 1024;
const FAILURE_BYTES = 64 * 1024;

/** A `fetch` that neither hangs nor fills the memory, and sends the key to the model's server only. */
function boundedFetch(apiKey: string | undefined, bounds: AnswerBounds = {}): typeof fetch {
  const { silenceMs = SILENCE_MS, answerMs = ANSWER_MS, answerBytes = ANSWER_BYTES } = bounds;
  return async (input, init) => {
    const stop = new AbortController();
    const signals = [stop.signal, ...(init?.signal ? [init.signal] : [])];
    let leftMs = answerMs;
    // Only time spent waiting for the server counts, not what the agent does between two chunks.
    const awaited = async <Value>(value: Promise<Value>): Promise<Value> => {
      const began = performance.now();
      const [limitMs, what] =
        leftMs < silenceMs ? [leftMs, "did not end its answer within"] : [silenceMs, "sent nothing for"];
      const total = leftMs < silenceMs ? answerMs : silenceMs;
      const timer = setTimeout(() => stop.abort(failed(input, `${what} ${total / 1000} seconds`)), limitMs);
      try {
        return await value;
      } finally {
        clearTimeout(timer);
        leftMs -= performance.now() - began;
      }
    };
    const how: RequestInit = { ...init, redirect: "manual", signal: AbortSignal.any(signals) };
    const response = await awaited(fetch(input, how));
    const { body, status, headers } = response;
    // The redirect's target has not been checked, and must not get the key.
    if (status >= 300 && status < 400) {
      await body?.cancel();
      throw failed(input, `sends elsewhere (${status}), which is not followed`);
    }
    if (body === null) return response;
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      const reader = body.getReader();
      let left = answerBytes;
      try {
        for (;;) {
          const { done, value } = await awaited(reader.read());
          if (done) return;
          left -= value.length;
          if (left < 0) throw failed(input, `sent more than ${answerBytes} bytes for one answer`);
          yield value;
        }
      } finally {
        stop.abort();
      }
    };
    if (response.ok) return new Response(ReadableStream.from(pieces()), { status, headers });
    const said = (await readBoundedBody({ body: pieces() }, { maxBytes: FAILURE_BYTES })) ?? "";
    return new Response(withoutKey(said.toString(), apiKey), { status, headers });
  };
}

function failed(input: Parameters<typeof fetch>[0], what: string): SkilletError {
  const { host } = new URL(input instanceof Request ? input.url : input);
  const message = `The model's server ${host} ${what}. Check that it works; the conversation is kept.`;
  return new SkilletError("model-failed", message, { data: { host } });
}
