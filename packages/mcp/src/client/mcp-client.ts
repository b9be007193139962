import { SkilletError } from "@skillet/kit/errors";
import { asObject, fieldOf, type JsonObject, textOf } from "@skillet/kit/json";
import { showLine } from "@skillet/kit/text";
import { HANDSHAKE_VERSIONS, MAX_MESSAGE_BYTES, META, MODERN_VERSION } from "../protocol/json-rpc.ts";
import { httpTransport } from "./http-transport.ts";
import { type McpCommand, stdioTransport } from "./stdio-transport.ts";

/** Where a server is, by its address or by the command that starts it, and how to call it. */
export interface McpPlace {
  /** The user's name for the server; what the server calls itself is ignored. */
  readonly label: string;
  /** https, or http on this machine. */
  readonly url?: string | undefined;
  /** With `url`: for example `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly command?: McpCommand | undefined;
  /** For one request, from its first byte to its last; default: 30 seconds. */
  readonly requestMs?: number | undefined;
  /** With `command`: ends the process, which otherwise ends after 30 seconds without a request. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends a message to a server and returns its answer, or undefined for a notification. */
export type Transport = (
  message: JsonObject,
  how: { readonly version: string | undefined; readonly signal: AbortSignal; readonly maxBytes: number },
) => Promise<JsonObject | undefined>;

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** A longer answer is refused. */
  readonly maxBytes?: number | undefined;
}

type SendOptions = AskOptions & { readonly ms?: number };

interface Connection {
  readonly capabilities: Promise<JsonObject>;
  isOpen: boolean;
}

/** A connection to an untrusted server; everything that it sends is bounded in size and time. */
export interface McpClient {
  /** What the server declares; asked once per connection. */
  capabilities(options?: AskOptions): Promise<JsonObject>;
  /** Throws `mcp-refused` with the server's `rpcCode` if the server answers with an error. */
  request(method: string, params: JsonObject, options?: AskOptions): Promise<JsonObject>;
  /** The agreed protocol version. */
  version(): string | undefined;
}

/** An old server that a command starts may not answer an unknown method at all. */
const DISCOVER_MS = 5_000;
const MIN_SECRET_CHARACTERS = 6;

export function connectMcp(place: McpPlace): McpClient {
  const { label, requestMs = 30_000, command } = place;
  let version: string | undefined = MODERN_VERSION;
  let nextId = 0;
  let current: Connection | undefined;
  let isLost = false;
  const passed = command?.pass?.map((name) => command.environment[name] ?? "") ?? [];
  const secrets = [...Object.values(place.headers ?? {}), ...passed].flatMap((text) => text.split(/\s+/));
  const fault = (code: string, why: string, more: object = {}): SkilletError => {
    let shown = why;
    for (const secret of secrets)
      if (secret.length >= MIN_SECRET_CHARACTERS) shown = shown.replaceAll(secret, "[hidden]");
    const message = `The MCP server ${label} ${showLine(shown).slice(0, 400)}.`;
    return new SkilletError(code, message, { data: { label, ...more } });
  };
  // While connecting, an old server may be ended for its silence and restarted: that is one connection.
  const onLost = (): void => {
    isLost = true;
    if (current?.isOpen === true) current = undefined;
  };
  const transport =
    command === undefined ? httpTransport(place, onLost) : stdioTransport(command, onLost, place.signal);

  const carry = async (
    message: JsonObject & { readonly method: string },
    { signal, maxBytes = MAX_MESSAGE_BYTES, ms = requestMs }: SendOptions,
  ): Promise<JsonObject | undefined> => {
    const deadline = AbortSignal.timeout(ms);
    const either = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    try {
      return await transport(message, { version, signal: either, maxBytes });
    } catch (error) {
      signal?.throwIfAborted();
      if (deadline.aborted) throw fault("mcp-timeout", `did not answer ${message.method} within ${ms} ms`);
      if (SkilletError.isInstance(error)) throw error;
      throw fault("mcp-unreachable", `cannot be reached: ${reasonOf(error)}`);
    }
  };
  const send = async (method: string, params: JsonObject, options: SendOptions = {}): Promise<JsonObject> => {
    nextId += 1;
    const envelope = version === MODERN_VERSION && { _meta: ENVELOPE };
    const message = { jsonrpc: "2.0", id: nextId, method, params: { ...params, ...envelope } };
    const { result, error } = (await carry(message, options)) ?? {};
    const given = asObject(result);
    if (given !== undefined) return given;
    const said = textOf(error, "message") ?? "nothing that can be read";
    const code = fieldOf(error, "code");
    const rpcCode = typeof code === "number" ? code : undefined;
    throw fault("mcp-refused", `answered ${method} with: ${said}`, { rpcCode });
  };
  const open = async (options: AskOptions): Promise<JsonObject> => {
    version = MODERN_VERSION;
    try {
      const ms = command === undefined ? requestMs : Math.min(requestMs, DISCOVER_MS);
      return asObject((await send("server/discover", {}, { ...options, ms })).capabilities) ?? {};
    } catch (error) {
      // An older server does not know the method; a server that cannot be reached is an error.
      const code = SkilletError.isInstance(error) ? error.code : "";
      if (code !== "mcp-refused" && (command === undefined || code !== "mcp-timeout")) throw error;
    }
    version = undefined;
    isLost = false;
    const [newest = ""] = HANDSHAKE_VERSIONS;
    const hello = { protocolVersion: newest, capabilities: {}, clientInfo: CLIENT_INFO };
    const result = await send("initialize", hello, options);
    const agreed = textOf(result, "protocolVersion") ?? newest;
    if (!HANDSHAKE_VERSIONS.includes(agreed))
      throw fault("mcp-refused", `speaks ${agreed}, which is not a version that is understood here`);
    version = agreed;
    await carry({ jsonrpc: "2.0", method: "notifications/initialized" }, options);
    return asObject(result.capabilities) ?? {};
  };
  const connect = (options: AskOptions = {}): Connection => {
    if (current !== undefined) return current;
    isLost = false;
    const made: Connection = { capabilities: open(options), isOpen: false };
    current = made;
    made.capabilities.then(
      () => {
        made.isOpen = true;
        if (isLost) current = undefined;
      },
      () => {
        current = undefined;
      },
    );
    return made;
  };
  return {
    capabilities: (options) => connect(options).capabilities,
    version: () => version,
    request: async (method, params, options) => {
      const used = connect(options);
      await used.capabilities;
      try {
        return await send(method, params, options);
      } catch (error) {
        // The session or process has ended: retry once on a new connection, perhaps another request's.
        if (current === used || !SkilletError.isInstance(error) || error.code === "mcp-timeout") throw error;
        await connect(options).capabilities;
        return send(method, params, options);
      }
    },
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The error of `fetch` itself does not say why; its cause does.
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}

const CLIENT_INFO = { name: "skillet", version: "0.1.0" };
const ENVELOPE: JsonObject = {
  [META.version]: MODERN_VERSION,
  [META.clientInfo]: CLIENT_INFO,
  [META.clientCapabilities]: {},
};
