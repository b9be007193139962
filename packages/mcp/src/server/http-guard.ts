import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { MAX_MESSAGE_BYTES } from "../protocol/json-rpc.ts";

/** Why a request is refused before its body is read. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

export interface GuardRules {
  readonly token: string;
  /** The hosts and port that the server is reached by, as a browser writes them: `127.0.0.1:4000`. */
  readonly hosts: ReadonlySet<string>;
}

/**
 * Keeps out browser pages and other users of this machine. Host comes first: a page whose name an attacker
 * points at 127.0.0.1 is same-origin, with no Origin and any content type. The token is always required.
 */
export function checkRequest(request: IncomingMessage, { token, hosts }: GuardRules): Refusal | undefined {
  const { headers, headersDistinct, method, url } = request;
  const { host = [] } = headersDistinct;
  if (host.length !== 1 || !hosts.has(host[0] ?? ""))
    return { status: 421, message: "The Host is not this server's." };
  const { origin, authorization = "" } = headers;
  const site = headers["sec-fetch-site"];
  if (origin !== undefined && origin !== `http://${host[0]}`) return FOREIGN;
  if (site !== undefined && site !== "same-origin" && site !== "none") return FOREIGN;
  if (method === "OPTIONS") return { status: 403, message: "Other origins are not served." };
  if (!isSame(authorization, `Bearer ${token}`))
    return { status: 401, message: "Send the server's token: Authorization: Bearer TOKEN." };
  if (url !== "/mcp") return { status: 404, message: "There is nothing here but /mcp." };
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (method === "POST" && type !== "application/json")
    return { status: 415, message: "Send application/json." };
  if (method !== "POST" && method !== "GET" && method !== "DELETE")
    return { status: 405, message: "Use POST, GET or DELETE." };
  if (Number(headers["content-length"] ?? 0) > MAX_MESSAGE_BYTES)
    return { status: 413, message: `At most ${MAX_MESSAGE_BYTES} bytes are read.` };
  return undefined;
}

const FOREIGN: Refusal = { status: 403, message: "Pages of other origins are not served." };

// Digests have equal length, so that the comparison takes the same time for every guess.
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", wanted, "buffer"));
}
