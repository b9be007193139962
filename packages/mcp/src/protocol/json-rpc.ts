import { asObject, fieldOf, isJsonObject, type JsonObject } from "@skillet/kit/json";
import { cutText, showLine } from "@skillet/kit/text";

/** The revision without a handshake: every request names its protocol version. */
export const MODERN_VERSION = "2026-07-28";
/** Revisions that begin with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** Bound on a message in either direction, except for file contents; a longer message ends the connection. */
export const MAX_MESSAGE_BYTES: number = 4 * 1024 * 1024;

export const FAULT = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  headerMismatch: -32_020,
  version: -32_022,
} as const;

export type RequestId = string | number;

/** A request, or a notification if it has no id. */
export interface Call {
  readonly id?: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

/** An error that is sent to the other side. */
export class ProtocolFault extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.name = "ProtocolFault";
    this.code = code;
    this.data = data;
  }
}

/** Reads a request or a notification; throws for a response or anything else. */
export function readCall(message: unknown): Call {
  const method = fieldOf(message, "method");
  const id = fieldOf(message, "id");
  const params = fieldOf(message, "params");
  const isCall = isJsonObject(message) && message.jsonrpc === "2.0" && typeof method === "string";
  if (!isCall || (id !== undefined && !isRequestId(id)) || (params !== undefined && !isJsonObject(params)))
    throw new ProtocolFault(FAULT.request, "This is not a JSON-RPC request or notification.");
  return { ...(id !== undefined && { id }), method, params: params ?? {} };
}

export function isRequestId(id: unknown): id is RequestId {
  return (typeof id === "string" && id.length <= 256) || (typeof id === "number" && Number.isSafeInteger(id));
}

export function metaOf(params: JsonObject): JsonObject {
  return asObject(params._meta) ?? {};
}

/** A parameter that must be a string; bounded, because messages quote it. */
export function textParam(params: JsonObject, name: string): string {
  const value = fieldOf(params, name);
  if (typeof value === "string" && value.length <= MAX_TEXT_CHARACTERS) return value;
  throw new ProtocolFault(
    FAULT.params,
    `\`${name}\` must be a text of at most ${MAX_TEXT_CHARACTERS} characters.`,
  );
}

const MAX_TEXT_CHARACTERS = 4096;

export function answerTo(id: RequestId | null, result: object): object {
  return { jsonrpc: "2.0", id, result };
}

export function faultAnswer(id: RequestId | null, { code, message, data }: ProtocolFault): object {
  const shown = cutText(showLine(message), 2000);
  return { jsonrpc: "2.0", id, error: { code, message: shown, ...(data !== undefined && { data }) } };
}

export function notification(method: string, params?: JsonObject): object {
  return { jsonrpc: "2.0", method, ...(params !== undefined && { params }) };
}
