import { setTimeout as delay } from "node:timers/promises";
import { fieldOf, parseJson, textOf } from "./json.ts";
import { isLoopback, parseUrl, readBoundedBody } from "./network.ts";
import { showLine } from "./text.ts";

/** A model's URL, or why the endpoint is refused; `shown` contains neither password nor key. */
export type ChatAddress = { readonly url: URL } | { readonly shown: string; readonly problem: string };

/** A model's protocol: OpenAI's chat completions, which most others offer too, or Anthropic's messages. */
export type ChatProtocol = "openai" | "anthropic";

/**
 * The URL of chat completions, or of Anthropic's messages, at an endpoint that is https or local.
 *
 * @example
 * chatAddress("http://127.0.0.1:11434/v1"); // { url: http://127.0.0.1:11434/v1/chat/completions }
 */
export function chatAddress(endpoint: string, protocol: ChatProtocol = "openai"): ChatAddress {
  const url = parseUrl(endpoint);
  // Not repeated in the problem: "user:password@host" is not a URL, but contains a password.
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    return { shown: "The endpoint", problem: "it is not an http or https address" };
  const shown = JSON.stringify(`${url.origin}${url.pathname}`);
  if (url.username !== "" || url.password !== "")
    return { shown, problem: "it holds a user name or a password" };
  if (url.search !== "" || url.hash !== "") return { shown, problem: "it has a query or a fragment" };
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    return {
      shown,
      problem:
        "anyone on the network could read the skills and the key; use https, or a server on this machine",
    };
  const path = protocol === "anthropic" ? "messages" : "chat/completions";
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return { url };
}

export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly SentToolCall[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export interface SentToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatAnswer {
  readonly content: string | null;
  readonly toolCalls: readonly SentToolCall[];
  readonly usage?: TokenUsage;
}

export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface OfferedTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export interface ChatRequest {
  readonly url: URL;
  /** Default: "openai", the only one that supports tools. */
  readonly protocol?: ChatProtocol;
  /** Sent only in the header for keys; absent for servers that need none. */
  readonly apiKey?: string;
  readonly body: {
    readonly model: string;
    readonly messages: readonly ChatMessage[];
    readonly tools?: readonly OfferedTool[];
  };
  readonly maxAnswerBytes: number;
  /** How often a busy server is asked again, if it says that it is busy and the deadline allows. */
  readonly maxRetries: number;
  readonly deadline: AbortSignal;
  readonly signal?: AbortSignal | undefined;
}

/** Where a model is, and which protocol it uses. */
export interface ModelSettings {
  /** Such as `https://api.openai.com/v1`; plain http on this machine only. */
  readonly endpoint: string;
  readonly model: string;
  readonly apiKey?: string;
  readonly protocol?: ChatProtocol;
}

/** A language model: text in, text out. Hosts pass their own; every feature works without one. */
export interface TextModel {
  /** Identifies the model to users and caches, such as `qwen3 at http://127.0.0.1:11434/v1`. */
  readonly by: string;
  ask(request: {
    readonly system: string;
    readonly prompt: string;
    readonly signal: AbortSignal;
  }): Promise<TextAnswer>;
}

export type TextAnswer =
  | { readonly text: string; readonly usage?: TokenUsage }
  | { readonly failure: { readonly message: string } };

const MAX_TEXT_ANSWER_BYTES = 256 * 1024;
const TEXT_RETRIES = 1;

/** A model at an endpoint, or why it is refused. Failures repeat neither the key nor server messages. */
export function createTextModel(
  settings: ModelSettings,
): { readonly model: TextModel } | Exclude<ChatAddress, { readonly url: URL }> {
  const { endpoint, model, apiKey, protocol = "openai" } = settings;
  const address = chatAddress(endpoint, protocol);
  if (!("url" in address)) return address;
  const ask: TextModel["ask"] = async ({ system, prompt, signal }) => {
    const messages = [
      { role: "system", content: system },
      { role: "user", content: prompt },
    ] as const;
    const answer = await askChat({
      url: address.url,
      protocol,
      body: { model, messages },
      deadline: signal,
      maxAnswerBytes: MAX_TEXT_ANSWER_BYTES,
      maxRetries: TEXT_RETRIES,
      ...(apiKey !== undefined && { apiKey }),
    });
    // The detail is left out: the endpoint's own message may repeat the request.
    if ("failure" in answer) return { failure: { message: answer.failure.message } };
    const { content, usage } = answer;
    if (content === null) return { failure: { message: "the answer contains no text" } };
    return { text: content, ...(usage && { usage }) };
  };
  return { model: { by: showLine(`${model} at ${endpoint.replace(/\/$/, "")}`), ask } };
}

/** Why the model did not answer; never contains the key. */
export interface ChatFailure {
  readonly kind: "timeout" | "unauthorized" | "status" | "unreachable" | "garbage";
  readonly message: string;
  readonly detail?: string;
}

/** Asks a model once; throws only if `signal` is aborted. */
export async function askChat(request: ChatRequest): Promise<ChatAnswer | { readonly failure: ChatFailure }> {
  const { deadline, signal } = request;
  try {
    const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    return await askPatiently(request, either);
  } catch (error) {
    signal?.throwIfAborted();
    if (deadline.aborted) return failed("timeout", "no answer came in time");
    // On a network failure, fetch throws an uninformative TypeError with a useful cause.
    if (!(error instanceof TypeError)) throw error;
    const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
    return failed(
      "unreachable",
      `the endpoint could not be reached${code === undefined ? "" : ` (${code})`}`,
    );
  }
}

async function askPatiently(
  request: ChatRequest,
  signal: AbortSignal,
): Promise<ChatAnswer | { readonly failure: ChatFailure }> {
  const { url, apiKey, maxRetries } = request;
  for (let tries = 0; ; tries += 1) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...keyHeaders(request) },
      body: JSON.stringify(bodyOf(request)),
      // A redirect's target has not been checked, and must not get the key.
      redirect: "error",
      signal,
    });
    if (response.ok) return await readAnswer(response, request);
    const { status, headers } = response;
    const told = `the endpoint answered with status ${status}`;
    if (status !== 401 && ((status !== 429 && status !== 503) || tries >= maxRetries))
      return failed("status", told, await readFailure(response, apiKey));
    // The body of an answer about a key may repeat the key.
    await response.body?.cancel();
    if (status === 401) return failed("unauthorized", told);
    await delay(waitMs(headers.get("retry-after")), undefined, { signal });
  }
}

function keyHeaders({ protocol, apiKey }: ChatRequest): Readonly<Record<string, string>> {
  if (protocol !== "anthropic") return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return { "anthropic-version": "2023-06-01", ...(apiKey !== undefined && { "x-api-key": apiKey }) };
}

/** Anthropic's messages require a bound; all our requests need less. */
const MAX_ANSWER_TOKENS = 8_192;

function bodyOf({ protocol, body }: ChatRequest): object {
  if (protocol !== "anthropic") return body;
  const system = body.messages.flatMap(({ role, content }) => (role === "system" ? [content ?? ""] : []));
  const messages = body.messages.filter(({ role }) => role !== "system");
  return { model: body.model, max_tokens: MAX_ANSWER_TOKENS, system: system.join("\n\n"), messages };
}

function failed(
  kind: ChatFailure["kind"],
  message: string,
  detail?: string,
): { readonly failure: ChatFailure } {
  return { failure: { kind, message, ...(detail !== undefined && { detail }) } };
}

const DEFAULT_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

// Seconds or a date; the deadline ends the wait if a server asks for more time than the run has.
function waitMs(header: string | null): number {
  if (header === null) return DEFAULT_WAIT_MS;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  if (Number.isNaN(milliseconds)) return DEFAULT_WAIT_MS;
  return Math.min(MAX_WAIT_MS, Math.max(0, milliseconds));
}

const MAX_TOOL_CALLS = 32;

async function readAnswer(
  response: Response,
  { maxAnswerBytes, protocol }: ChatRequest,
): Promise<ChatAnswer | { readonly failure: ChatFailure }> {
  const bytes = await readBoundedBody(response, { maxBytes: maxAnswerBytes });
  if (bytes === undefined) return failed("garbage", `the answer is longer than ${maxAnswerBytes} bytes`);
  const value = parseJson(bytes);
  if (protocol === "anthropic") return readBlocks(value);
  const choices = fieldOf(value, "choices");
  const message = fieldOf(Array.isArray(choices) ? choices[0] : undefined, "message");
  const content = fieldOf(message, "content");
  const calls = fieldOf(message, "tool_calls");
  const toolCalls = (Array.isArray(calls) ? calls.slice(0, MAX_TOOL_CALLS) : []).flatMap(readCall);
  if (typeof content !== "string" && toolCalls.length === 0 && content !== null)
    return failed("garbage", "the answer is not a chat completion");
  const usage = readUsage(fieldOf(value, "usage"));
  return { content: typeof content === "string" ? content : null, toolCalls, ...(usage && { usage }) };
}

function readBlocks(value: unknown): ChatAnswer | { readonly failure: ChatFailure } {
  const blocks = fieldOf(value, "content");
  if (!Array.isArray(blocks)) return failed("garbage", "the answer is not a message");
  const content = blocks.map((block) => textOf(block, "text") ?? "").join("");
  const usage = readUsage(fieldOf(value, "usage"));
  return { content, toolCalls: [], ...(usage && { usage }) };
}

function readCall(call: unknown, index: number): SentToolCall[] {
  const name = fieldOf(fieldOf(call, "function"), "name");
  const given = fieldOf(fieldOf(call, "function"), "arguments");
  if (typeof name !== "string") return [];
  return [
    {
      id: textOf(call, "id") ?? `call_${index}`,
      type: "function",
      function: {
        name,
        // Some servers send an object where the protocol requires its JSON text.
        arguments: typeof given === "string" ? given : (JSON.stringify(given) ?? "{}"),
      },
    },
  ];
}

function readUsage(usage: unknown): TokenUsage | undefined {
  const promptTokens = fieldOf(usage, "prompt_tokens") ?? fieldOf(usage, "input_tokens");
  const completionTokens = fieldOf(usage, "completion_tokens") ?? fieldOf(usage, "output_tokens");
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** A longer body is a page, not an error message. */
const MAX_FAILURE_BYTES = 16 * 1024;
const MAX_SHOWN_CHARACTERS = 200;

/** The failure as the endpoint describes it, on one line and without the key. */
async function readFailure(response: Response, apiKey: string | undefined): Promise<string | undefined> {
  const text = withoutKey(findMessage(await readText(response)), apiKey);
  // Proxies answer in HTML.
  const plain = text.replace(/<[^<>]{0,500}>/g, " ");
  // Again, because invisible characters may have split the key.
  const line = withoutKey(showLine(plain.replace(/\s+/g, " ").trim()), apiKey);
  if (line === "" || line === "{}") return undefined;
  return line.length <= MAX_SHOWN_CHARACTERS ? line : `${line.slice(0, MAX_SHOWN_CHARACTERS - 1)}…`;
}

async function readText(response: Response): Promise<string> {
  try {
    const bytes = await readBoundedBody(response, { maxBytes: MAX_FAILURE_BYTES });
    return bytes === undefined ? "" : bytes.toString("utf8");
  } catch (error) {
    // The connection broke off; the status is already known.
    if (error instanceof TypeError) return "";
    throw error;
  }
}

// `{"error": {"message": "…"}}`, `{"error": "…"}` and `{"message": "…"}` are usual; other text stays.
function findMessage(text: string): string {
  let value = parseJson(text);
  for (const name of ["error", "message"]) value = fieldOf(value, name) ?? value;
  return typeof value === "string" ? value : text;
}

/** Some servers repeat part of the key; a shorter part reveals nothing. */
const MIN_KEY_PART = 6;

/** Replaces the key and every part of it from MIN_KEY_PART characters on. */
export function withoutKey(text: string, apiKey: string | undefined): string {
  if (apiKey === undefined || apiKey === "") return text;
  const length = Math.min(MIN_KEY_PART, apiKey.length);
  const isKey = new Uint8Array(text.length);
  for (let start = 0; start + length <= apiKey.length; start += 1) {
    const part = apiKey.slice(start, start + length);
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
      isKey.fill(1, at, at + length);
  }
  let shown = "";
  for (let at = 0; at < text.length; at += 1)
    if (isKey[at] === 0) shown += text[at];
    else if (at === 0 || isKey[at - 1] === 0) shown += "[key]";
  return shown;
}
