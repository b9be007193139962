import { SkilletError } from "@skillet/kit/errors";
import { asObject, fieldOf, type JsonObject, parseJson, textOf } from "@skillet/kit/json";
import { parseUrl, readBoundedBody } from "@skillet/kit/network";
import { MODERN_VERSION } from "../protocol/json-rpc.ts";
import { readLines, tooLarge } from "../protocol/read-lines.ts";
import type { McpPlace, Transport } from "./mcp-client.ts";

/** Streamable HTTP: every message is a request of its own, and redirects are refused. */
export function httpTransport(
  { url = "", headers: own = {} }: Pick<McpPlace, "url" | "headers">,
  onLost: () => void,
): Transport {
  checkUrl(url);
  let session: Readonly<Record<string, string>> = {};
  return async (message, { version, signal, maxBytes }) => {
    checkHeaders(own);
    const { method, params, id } = message;
    const named = textOf(params, "uri");
    const modern = version === MODERN_VERSION && {
      "mcp-method": String(method),
      ...(named !== undefined && { "mcp-name": `=?base64?${Buffer.from(named).toString("base64")}?=` }),
    };
    const used = session;
    const shown = { ...own, ...used, ...(version && { "mcp-protocol-version": version }), ...modern };
    const accept = "application/json, text/event-stream";
    const response = await fetch(url, {
      method: "POST",
      body: JSON.stringify(message),
      redirect: "error",
      signal,
      headers: { ...shown, "content-type": "application/json", accept },
    });
    const { status, headers, body } = response;
    // Drop only the session that this request used: another request may have opened a new one since.
    if (status === 404 && used === session && "mcp-session-id" in used) {
      session = {};
      onLost();
    }
    const given = headers.get("mcp-session-id");
    // The id is sent back as a header, so only characters that are valid in one are accepted.
    if (given !== null && /^[\x21-\x7e]{1,256}$/.test(given)) session = { "mcp-session-id": given };
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    const chunks = (body ?? []) as AsyncIterable<Uint8Array>;
    if (isStream) return answerIn(chunks, id, maxBytes);
    const bytes = await readBoundedBody({ body: chunks }, { maxBytes });
    if (bytes === undefined) throw tooLarge(maxBytes);
    if (id === undefined) return undefined;
    const hint = status === 401 || status === 403 ? ": it wants another token, or one at all" : "";
    return asObject(parseJson(bytes)) ?? { error: { message: `HTTP ${status}${hint}` } };
  };
}

function checkUrl(url: string): void {
  const { protocol, hostname = "", username, password } = parseUrl(url) ?? {};
  const isLocal = protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  if ((protocol === "https:" || isLocal) && username === "" && password === "") return;
  const message = "The address of an MCP server must be https, or http on this machine, without credentials.";
  throw new SkilletError("source-url-invalid", message);
}

/** Runs before `fetch`, whose error message would quote the value, which is a token. */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers))
    if (!/^[\w-]{1,100}$/.test(name) || !/^[\t\x20-\x7e]{0,8192}$/.test(value))
      throw new SkilletError(
        "mcp-header-invalid",
        `The header ${JSON.stringify(name.slice(0, 100))} has a name or a value that cannot be sent; check its token.`,
      );
}

/** The answer among the events of a stream, which may continue after it; each event is read once. */
async function answerIn(
  chunks: AsyncIterable<Uint8Array>,
  id: unknown,
  maxBytes: number,
): Promise<JsonObject | undefined> {
  let data: string[] = [];
  let length = 0;
  for await (const line of readLines(chunks, maxBytes)) {
    length += line.length + 1;
    if (length > maxBytes) throw tooLarge(maxBytes);
    const text = Buffer.from(line).toString().replace(/\r$/, "");
    if (text.startsWith("data:")) data.push(text.slice(5));
    if (text !== "" || data.length === 0) continue;
    const message = asObject(parseJson(data.join("\n")));
    if (message !== undefined && fieldOf(message, "id") === id) return message;
    data = [];
  }
  return { error: { message: "a stream that ended without an answer" } };
}
