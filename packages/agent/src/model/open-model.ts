import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { SkilletError } from "@skillet/core";
import { chatAddress } from "@skillet/kit/chat";
import type { LanguageModel } from "ai";

/** Where a model is asked, and how. */
export interface ModelSettings {
  readonly protocol: "openai" | "anthropic";
  /** Such as `https://api.openai.com/v1`; plain http on this machine only. */
  readonly endpoint: string;
  readonly model: string;
  /** Sent to the endpoint and nowhere else; absent for servers that want none. */
  readonly apiKey?: string | undefined;
}

/**
 * Opens a model at an endpoint that speaks OpenAI's chat completions or Anthropic's messages; it is asked later.
 *
 * @example
 * openModel({ protocol: "openai", endpoint: "http://127.0.0.1:11434/v1", model: "qwen3" });
 */
export function openModel({
  protocol,
  endpoint,
  model,
  apiKey,
}: ModelSettings): Exclude<LanguageModel, string> {
  const address = chatAddress(endpoint);
  if (!("url" in address))
    throw new SkilletError(
      "model-endpoint-invalid",
      `${address.shown} cannot be asked: ${address.problem}.`,
      {
        data: { endpoint: address.shown },
      },
    );
  const baseURL = endpoint.replace(/\/$/, "");
  // Another address has not been checked, and must not get the key.
  const direct: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "error" });
  if (protocol === "anthropic")
    return createAnthropic({ baseURL, apiKey: apiKey ?? "none", fetch: direct })(model);
  return createOpenAICompatible({
    ...{ name: "model", baseURL, includeUsage: true, fetch: direct },
    ...(apiKey !== undefined && { apiKey }),
  })(model);
}
