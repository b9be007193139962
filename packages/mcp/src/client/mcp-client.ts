import { SkilletError } from "@skillet/kit/errors";
import { asObject, type JsonObject, parseJson, textOf } from "@skillet/kit/json";
import { parseUrl } from "@skillet/kit/network";
import { showLine } from "@skillet/kit/text";
import { HANDSHAKE_VERSIONS, MAX_MESSAGE_BYTES, META, MODERN_VERSION } from "../protocol/json-rpc.ts";

/** Where a server is, and how to ask it. */
export interface McpPlace {
  /** As the user calls the server. What it calls itself does not count. */
  readonly label: string;
  /** https, or http on this machine. */
  readonly url: string;
  /** Such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For one request, from its first byte to its last; default: 30 seconds. */
  readonly requestMs?: number | undefined;
}

interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** An answer that is longer is not read on. */
  readonly maxBytes?: number | undefined;
}

/** A connection to a foreign server; everything that it sends has a bound of size and of time. */
export interface McpClient {
  /** What the server says of itself; asks once. */
  capabilities(options?: AskOptions): Promise<JsonObject>;
  request(method: string, params: JsonObject, options?: AskOptions): Promise<JsonObject>;
}

export function connectMcp({ label, url, headers: own = {}, requestMs = 30_000 }: McpPlace): McpClient {
  let version: string | undefined = MODERN_VERSION;
  let nextId = 0;
  let session: Readonly<Record<string, string>> = {};
  let opening: Promise<JsonObject> | undefined;
  checkUrl(url);
  const fault = (code: string, why: string, cause: unknown): SkilletError =>
    new SkilletError(code, `The MCP server ${label} ${why}.`, { data: { label }, cause });

  const post = async (message: JsonObject, signal: AbortSignal, maxBytes: number): Promise<JsonObject> => {
    const { method, params, id } = message;
    const named = textOf(params, "uri");
    const modern = version === MODERN_VERSION && {
      "mcp-method": String(method),
      ...(named !== undefined && { "mcp-name": `=?base64?${Buffer.from(named).toString("base64")}?=` }),
    };
    const shown = { ...own, ...session, ...(version && { "mcp-protocol-version": version }), ...modern };
    const accept = "application/json, text/event-stream";
    const response = await fetch(url, {
      ...{ method: "POST", body: JSON.stringify(message), redirect: "error", signal },
      headers: { ...shown, "content-type": "application/json", accept },
    });
    const given = response.headers.get("mcp-session-id");
    if (given !== null) session = { "mcp-session-id": given };
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > maxBytes)
        throw new SkilletError(
          "mcp-message-too-large",
          `An answer of ${label} has more than ${maxBytes} bytes.`,
        );
      // A stream may go on after the answer.
      const found = isStream ? answerIn(text, id) : undefined;
      if (found !== undefined) return found;
    }
    const answer = isStream ? undefined : asObject(parseJson(text));
    return answer ?? { error: { message: `HTTP ${response.status}` } };
  };
  const send = async (
    method: string,
    params: JsonObject,
    { signal, maxBytes = MAX_MESSAGE_BYTES }: AskOptions = {},
  ): Promise<JsonObject> => {
    nextId += 1;
    const deadline = AbortSignal.timeout(requestMs);
    const either = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    const envelope = version === MODERN_VERSION && { _meta: ENVELOPE };
    const message = { jsonrpc: "2.0", id: nextId, method, params: { ...params, ...envelope } };
    try {
      const { result, error } = await post(message, either, maxBytes);
      const given = asObject(result);
      if (given !== undefined) return given;
      const said = showLine(textOf(error, "message") ?? "nothing that can be read").slice(0, 300);
      throw fault("mcp-refused", `answered ${method} with: ${said}`, error);
    } catch (error) {
      signal?.throwIfAborted();
      if (deadline.aborted)
        throw fault("mcp-timeout", `did not answer ${method} within ${requestMs} ms`, error);
      if (SkilletError.isInstance(error)) throw error;
      throw fault(
        "mcp-unreachable",
        `cannot be reached: ${error instanceof Error ? error.message : error}`,
        error,
      );
    }
  };
  const open = async (options: AskOptions): Promise<JsonObject> => {
    version = MODERN_VERSION;
    try {
      return asObject((await send("server/discover", {}, options)).capabilities) ?? {};
    } catch (error) {
      // A server of the older form does not know the method; one that cannot be reached stays so.
      if (!SkilletError.isInstance(error) || error.code !== "mcp-refused") throw error;
    }
    version = undefined;
    const [newest = ""] = HANDSHAKE_VERSIONS;
    const hello = { protocolVersion: newest, capabilities: {}, clientInfo: CLIENT_INFO };
    const result = await send("initialize", hello, options);
    version = textOf(result, "protocolVersion") ?? newest;
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    await post(initialized, AbortSignal.timeout(requestMs), MAX_MESSAGE_BYTES);
    return asObject(result.capabilities) ?? {};
  };
  const capabilities = (options: AskOptions = {}): Promise<JsonObject> => {
    opening ??= open(options).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    capabilities,
    request: async (method, params, options) => {
      await capabilities(options);
      return send(method, params, options);
    },
  };
}

const CLIENT_INFO = { name: "skillet", version: "0.1.0" };
const ENVELOPE: JsonObject = {
  [META.version]: MODERN_VERSION,
  [META.clientInfo]: CLIENT_INFO,
  [META.clientCapabilities]: {},
};

function checkUrl(url: string): void {
  const { protocol, hostname = "", username, password } = parseUrl(url) ?? {};
  const isLocal = protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  if ((protocol === "https:" || isLocal) && username === "" && password === "") return;
  const message = "The address of an MCP server must be https, or http on this machine, without credentials.";
  throw new SkilletError("source-url-invalid", message);
}

/** The answer to a request among the events of a stream. */
function answerIn(text: string, id: unknown): JsonObject | undefined {
  for (const event of text.split(/\r?\n\r?\n/)) {
    const data = event.split(/\r?\n/).flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
    const message = asObject(parseJson(data.join("\n")));
    if (message?.id === id) return message;
  }
  return undefined;
}
