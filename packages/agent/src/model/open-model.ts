import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { SkilletError } from "@skillet/core";
import { chatAddress } from "@skillet/kit/chat";
import type { LanguageModel } from "ai";
import { type AnswerBounds, boundedFetch } from "./bounded-fetch.ts";

/** Where a model is asked, and how. */
export interface ModelSettings extends AnswerBounds {
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
