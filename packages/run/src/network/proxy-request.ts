import type { IncomingMessage } from "node:http";
import { formatAuthority, parseAuthority } from "./network-grant.ts";
import type { RefusalList } from "./network-refusal.ts";

/** A request that cannot be served; the client gets the status and the message if they can still be sent. */
export class ProxyFault extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ProxyFault";
    this.status = status;
  }
}

export function invalidRequest(): ProxyFault {
  return new ProxyFault(400, "The request is not valid HTTP/1.1.");
}

/** Refuses request lines that Node's parser accepts but other readers may interpret differently. */
export function checkRequestLine({ url = "", httpVersion }: IncomingMessage): void {
  if (!/^[\x21-\x7e]+$/.test(url) || (httpVersion !== "1.1" && httpVersion !== "1.0")) throw invalidRequest();
}

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export interface RequestTarget extends HostAndPort {
  readonly path: string;
}

export const HTTP_PORT = 80;
export const HTTPS_PORT = 443;
// No user: it would be sent in clear text, and obscures the host. No fragment: it is never sent.
const ABSOLUTE = /^http:\/\/([^/?#@]+)([/?][^#]*)?$/i;

/** Reads the target of a CONNECT: `host:port`. */
export function connectAuthority(url: string): HostAndPort {
  const authority = parseAuthority(url);
  if (authority?.port === undefined)
    throw new ProxyFault(400, "CONNECT needs a host and a port, as in api.example.org:443.");
  return { host: authority.host, port: authority.port };
}

/** Reads the target of any other request to a proxy: a complete `http:` URL. */
export function absoluteTarget(url: string): RequestTarget {
  if (url.startsWith("/"))
    throw new ProxyFault(
      400,
      "This is a proxy: ask it for a whole address, as in http://api.example.org/path.",
    );
  if (/^https:/i.test(url))
    throw new ProxyFault(400, "Addresses with https go through a tunnel: ask with CONNECT.");
  const [, written, rest = "/"] = ABSOLUTE.exec(url) ?? [];
  const authority = written === undefined ? undefined : parseAuthority(written);
  if (authority === undefined)
    throw new ProxyFault(400, "This proxy only understands addresses of the form http://HOST[:PORT]/PATH.");
  return {
    host: authority.host,
    port: authority.port ?? HTTP_PORT,
    path: rest.startsWith("/") ? rest : `/${rest}`,
  };
}

/** Reads the target of a request inside a tunnel; URL and Host must both name the tunnel's host. */
export function tunnelledTarget(
  { method, url = "", headersDistinct }: IncomingMessage,
  tunnel: HostAndPort,
  refusals: RefusalList,
): RequestTarget {
  const isConnect = method === "CONNECT";
  const isOwnForm = !isConnect && (url.startsWith("/") || url === "*");
  const asked = isOwnForm ? tunnel : isConnect ? connectAuthority(url) : absoluteTarget(url);
  const isForTunnel = (written: string): boolean => {
    const authority = parseAuthority(written);
    return authority?.host === tunnel.host && (authority.port ?? tunnel.port) === tunnel.port;
  };
  if (
    asked.host !== tunnel.host ||
    asked.port !== tunnel.port ||
    !(headersDistinct.host ?? []).every(isForTunnel)
  ) {
    refusals.add({ host: tunnel.host, port: tunnel.port, reason: "http-host-differs" });
    throw new ProxyFault(403, "The request in the tunnel is for another host than the tunnel.");
  }
  if (isConnect) throw new ProxyFault(400, "A tunnel cannot be opened through a tunnel.");
  return { host: tunnel.host, port: tunnel.port, path: isOwnForm ? url : (asked as RequestTarget).path };
}

const MAX_FIELDS = 100;
// Hop-by-hop (RFC 9110, 7.6.1), or rewritten here. The server has already answered `Expect`.
const HOP_BY_HOP = new Set(
  `connection content-length expect host keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer
   transfer-encoding upgrade`.split(/\s+/),
);
// For any other method, Node would send a request without a length as chunks.
const WITHOUT_BODY = /^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/;

/** The headers to forward, flat as in `rawHeaders`: we write the host and framing headers. */
export function forwardedHeaders(request: IncomingMessage, { host, port }: HostAndPort): string[] {
  if (request.rawHeaders.length > 2 * MAX_FIELDS)
    throw new ProxyFault(400, `The request has more than ${MAX_FIELDS} headers.`);
  return [
    ...["Host", formatAuthority(port === HTTP_PORT ? { host } : { host, port })],
    ...endToEnd(request),
    ...framingOf(request),
    ...["Connection", "close"],
  ];
}

/** The end of a body must be unambiguous: if two readers disagree about it, requests can be smuggled. */
function framingOf({ method = "", httpVersion, headersDistinct }: IncomingMessage): string[] {
  const lengths = headersDistinct["content-length"] ?? [];
  const encodings = headersDistinct["transfer-encoding"] ?? [];
  const [length, encoding] = [lengths[0], encodings[0]];
  const isCertain =
    lengths.length + encodings.length <= 1 &&
    (length === undefined || /^[0-9]{1,15}$/.test(length)) &&
    (encoding === undefined || (encoding.toLowerCase() === "chunked" && httpVersion === "1.1"));
  if (!isCertain)
    throw new ProxyFault(400, "Content-Length and Transfer-Encoding do not say where the body ends.");
  if (encoding !== undefined) return ["Transfer-Encoding", "chunked"];
  if (length !== undefined) return ["Content-Length", length];
  return WITHOUT_BODY.test(method) ? [] : ["Content-Length", "0"];
}

/** A message's headers without the hop-by-hop ones. */
function endToEnd({ rawHeaders, headersDistinct }: IncomingMessage): string[] {
  const named = (headersDistinct.connection ?? []).flatMap((value) => value.toLowerCase().split(","));
  const dropped = new Set([...HOP_BY_HOP, ...named.map((name) => name.trim())]);
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!dropped.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/** The headers of the answer to the client; the length stays, since it shows if the answer is complete. */
export function answeredHeaders(answer: IncomingMessage): string[] {
  const length = answer.headers["content-length"];
  return [...endToEnd(answer), ...(length === undefined ? [] : ["Content-Length", length])];
}
