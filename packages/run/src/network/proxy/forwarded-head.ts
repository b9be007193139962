import { formatAuthority } from "../authority.ts";
import type { BodyFraming } from "./body-framing.ts";
import type { RequestHead } from "./request-head.ts";

const HTTP_PORT = 80;

// Between two neighbours only (RFC 9110, 7.6.1), or said anew below.
const NOT_FORWARDED = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The head with which a request goes on: its own words, but host, framing and connection are ours. */
export function forwardedHead(
  head: RequestHead,
  {
    host,
    port,
    path,
    framing,
  }: { readonly host: string; readonly port: number; readonly path: string; readonly framing: BodyFraming },
): Buffer {
  const named = new Set(
    head.fields
      .filter(([name]) => name === "connection")
      .flatMap(([, value]) => value.toLowerCase().split(","))
      .map((name) => name.trim()),
  );
  const lines = [
    `${head.method} ${path} HTTP/1.1`,
    `Host: ${formatAuthority(port === HTTP_PORT ? { host } : { host, port })}`,
    ...head.fields
      .filter(([name]) => !NOT_FORWARDED.has(name) && !named.has(name))
      .map(([name, value]) => `${name}: ${value}`),
    ...framingLines(framing),
    "Connection: close",
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

function framingLines(framing: BodyFraming): readonly string[] {
  if (framing.kind === "none") return [];
  return [framing.kind === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${framing.bytes}`];
}
