import type { ByteSource } from "./byte-source.ts";
import type { ProxyContext } from "./connect-target.ts";
import { formatAuthority, parseAuthority } from "./network-grant.ts";

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly version: "1.0" | "1.1";
  /** In their order; names in lower case, values without outer white space. */
  readonly fields: readonly HeadField[];
}

type HeadField = readonly [name: string, value: string];

const MAX_HEAD_BYTES: number = 32 * 1024;
const MAX_FIELDS = 100;
const REQUEST_LINE = /^([A-Z][A-Z-]{0,31}) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
// No space before the colon, no folded lines, no control characters: two readers could differ about each of them.
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;

/** Reads a request head without its final empty line; undefined when it is not exactly what the standard says. */
export function parseRequestHead(head: Buffer): RequestHead | undefined {
  if (head.length > MAX_HEAD_BYTES) return undefined;
  // Byte for byte: values may have any high byte, and go out as they came.
  const [requestLine = "", ...lines] = head.toString("latin1").split("\r\n");
  const [, method, target, minor] = REQUEST_LINE.exec(requestLine) ?? [];
  if (method === undefined || target === undefined || lines.length > MAX_FIELDS) return undefined;
  const fields: HeadField[] = [];
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    fields.push([name.toLowerCase(), withoutTrailingSpace(value)]);
  }
  return { method, target, version: minor === "0" ? "1.0" : "1.1", fields };
}

// By hand: an expression would look at every run of spaces in the middle again and again.
function withoutTrailingSpace(value: string): string {
  let end = value.length;
  while (value[end - 1] === " " || value[end - 1] === "\t") end -= 1;
  return value.slice(0, end);
}

const END = "\r\n\r\n";

/** Reads up to the end of a request's head; undefined when the client left without a word. */
export async function readRequestHead(source: ByteSource): Promise<RequestHead | undefined> {
  let read = Buffer.alloc(0);
  for (;;) {
    const piece = await source.next();
    if (piece === undefined && read.length === 0) return undefined;
    if (piece === undefined) throw new ProxyFault(400, "The request ends before its head does.");
    const before = read.length;
    read = Buffer.concat([read, piece]);
    const end = read.indexOf(END, Math.max(0, before - END.length));
    if (end > MAX_HEAD_BYTES || (end < 0 && read.length > MAX_HEAD_BYTES))
      throw new ProxyFault(431, `The head of the request has more than ${MAX_HEAD_BYTES} bytes.`);
    if (end < 0) continue;
    source.unread(read.subarray(end + END.length));
    const head = parseRequestHead(read.subarray(0, end));
    if (head === undefined) throw new ProxyFault(400, "The head of the request is not valid HTTP/1.1.");
    return head;
  }
}

export interface RequestTarget {
  readonly host: string;
  readonly port: number;
  /** What to ask for there; absent: a tunnel. */
  readonly path?: string;
}

const HTTP_PORT = 80;
// No user: it would be sent in clear, and hides the host from a quick look. No fragment: it is never sent.
const ABSOLUTE = /^http:\/\/([^/?#@]+)([/?][^#]*)?$/i;

/** Reads the target of a request to a proxy: `host:port` for CONNECT, otherwise a whole `http:` address. */
export function requestTarget({ method, target }: RequestHead): RequestTarget {
  if (method === "CONNECT") {
    const authority = parseAuthority(target);
    if (authority?.port === undefined)
      throw new ProxyFault(400, "CONNECT needs a host and a port, as in api.example.org:443.");
    return { host: authority.host, port: authority.port };
  }
  if (target.startsWith("/"))
    throw new ProxyFault(
      400,
      "This is a proxy: ask it for a whole address, as in http://api.example.org/path.",
    );
  if (/^https:/i.test(target))
    throw new ProxyFault(400, "Addresses with https go through a tunnel: ask with CONNECT.");
  const [, written, rest = "/"] = ABSOLUTE.exec(target) ?? [];
  const authority = written === undefined ? undefined : parseAuthority(written);
  if (authority === undefined)
    throw new ProxyFault(400, "This proxy understands addresses of the form http://HOST[:PORT]/PATH alone.");
  return {
    host: authority.host,
    port: authority.port ?? HTTP_PORT,
    path: rest.startsWith("/") ? rest : `/${rest}`,
  };
}

/** Reads a request out of a tunnel, which must be for the tunnel's own host by whatever it says. */
export async function readTunnelledRequest(
  source: ByteSource,
  tunnel: RequestTarget,
  context: ProxyContext,
): Promise<{ readonly head: RequestHead; readonly path: string }> {
  const head = await readRequestHead(source);
  if (head === undefined) throw new ProxyFault(400, "The tunnel ends before the head of its request does.");
  const hosts = head.fields.filter(([name]) => name === "host").map(([, value]) => value);
  const asked = targetOf(head, tunnel);
  if (
    asked.host !== tunnel.host ||
    asked.port !== tunnel.port ||
    !hosts.every((host) => isFor(host, tunnel))
  ) {
    context.refusals.add({ host: tunnel.host, port: tunnel.port, reason: "http-host-differs" });
    throw new ProxyFault(403, "The request in the tunnel is for another host than the tunnel.");
  }
  if (asked.path === undefined) throw new ProxyFault(400, "A tunnel cannot be opened through a tunnel.");
  return { head, path: asked.path };
}

function targetOf(head: RequestHead, tunnel: RequestTarget): RequestTarget {
  const isOwnForm = head.target.startsWith("/") || head.target === "*";
  return isOwnForm && head.method !== "CONNECT" ? { ...tunnel, path: head.target } : requestTarget(head);
}

function isFor(written: string, { host, port }: RequestTarget): boolean {
  const authority = parseAuthority(written);
  return authority?.host === host && (authority.port ?? port) === port;
}

export type BodyFraming =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" };

/** Finds out where a body ends; undefined when two readers could differ about that, which is how requests are smuggled. */
export function bodyFraming({ version, fields }: RequestHead): BodyFraming | undefined {
  const valuesOf = (wanted: string): readonly string[] =>
    fields.filter(([name]) => name === wanted).map(([, value]) => value);
  const lengths = valuesOf("content-length");
  const encodings = valuesOf("transfer-encoding");
  if (lengths.length + encodings.length > 1) return undefined;
  const [length] = lengths;
  const [encoding] = encodings;
  if (encoding !== undefined)
    return version === "1.1" && encoding.toLowerCase() === "chunked" ? { kind: "chunked" } : undefined;
  if (length === undefined) return { kind: "none" };
  return /^[0-9]{1,15}$/.test(length) ? { kind: "length", bytes: Number(length) } : undefined;
}

// Between two neighbours only (RFC 9110, 7.6.1), or said anew below.
const NOT_FORWARDED = new Set(
  `connection content-length host keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer
   transfer-encoding upgrade`.split(/\s+/),
);

/** The head with which a request goes on: its own words, but host, framing and connection are ours. */
export function forwardedHead(
  head: RequestHead,
  request: {
    readonly host: string;
    readonly port: number;
    readonly path: string;
    readonly framing: BodyFraming;
  },
): Buffer {
  const { host, port, path, framing } = request;
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

/** A request that cannot be served; the client gets the status and the message, where it can still be told. */
export class ProxyFault extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ProxyFault";
    this.status = status;
  }
}
