import type { ByteSource } from "./byte-source.ts";
import type { ProxyContext } from "./connect-target.ts";
import { canonicalHost } from "./network-grant.ts";
import type { NetworkRefusal } from "./network-refusal.ts";
import { ProxyFault, type RequestTarget } from "./proxy-request.ts";

// Where nothing but TLS is spoken, and nothing but HTTP.
export const HTTPS_PORT = 443;
const HTTP_PORT = 80;
// Each one is looked at from the start, so their number bounds the work.
const MAX_START_PIECES = 64;

/**
 * Looks at the first bytes that go into a tunnel, and puts them back. A TLS hello must name the host of the tunnel or
 * none, so that a granted host cannot stand in front of another at the same address; a request is judged by whoever
 * passes it on. On port 443 there must be a hello and on port 80 a request; on other ports anything else may be spoken.
 * What is said inside TLS cannot be seen.
 */
export async function checkTunnelStart(
  source: ByteSource,
  { host, port }: RequestTarget,
  context: ProxyContext,
): Promise<TunnelKind> {
  let read = Buffer.alloc(0);
  for (let pieces = 0; ; pieces += 1) {
    const piece = await source.next();
    const isOver = piece === undefined || pieces >= MAX_START_PIECES || read.length > MAX_HELLO_BYTES;
    if (piece !== undefined) read = Buffer.concat([read, piece]);
    const judged = isOver
      ? judgeWhole(read, { port, ended: piece === undefined })
      : judge(read, { host, port });
    if (judged === "incomplete") continue;
    if (typeof judged === "object") {
      context.refusals.add({ host, port, reason: judged.reason });
      throw new ProxyFault(403, judged.message);
    }
    source.unread(read);
    return judged;
  }
}

type TunnelKind = "http" | "anything";
type Refused = { readonly reason: NetworkRefusal["reason"]; readonly message: string };

// When nothing more comes, or too much came.
function judgeWhole(
  read: Uint8Array,
  { port, ended }: { port: number; ended: boolean },
): TunnelKind | Refused {
  // An end without a word is nothing to refuse, nor one before anything was asked for.
  if (ended && (read.length === 0 || (port !== HTTPS_PORT && port !== HTTP_PORT))) return "anything";
  return couldBeTls(read, port)
    ? { reason: "not-tls", message: "The tunnel does not begin with a whole TLS hello." }
    : { reason: "not-http", message: "The tunnel does not begin with a whole line of a request." };
}

function judge(read: Buffer, { host, port }: RequestTarget): TunnelKind | Refused | "incomplete" {
  if (couldBeTls(read, port)) return judgeHello(read, host);
  const http = httpStart(read);
  if (http === "unknown") return "incomplete";
  if (http === "yes") return "http";
  if (port !== HTTP_PORT) return "anything";
  return {
    reason: "not-http",
    message: "The tunnel does not begin with a request, which on port 80 it must.",
  };
}

function judgeHello(read: Buffer, host: string): TunnelKind | Refused | "incomplete" {
  const hello = parseClientHello(read);
  if (hello.kind === "incomplete") return "incomplete";
  if (hello.kind === "malformed")
    return { reason: "not-tls", message: "The tunnel does not begin with a TLS hello." };
  const { serverName = host, encrypted } = hello;
  if (!encrypted && canonicalHost(serverName) === host) return "anything";
  return { reason: "tls-name-differs", message: "The TLS hello names another host than the tunnel." };
}

function couldBeTls([type, major = 3]: Uint8Array, port: number): boolean {
  if (port === HTTPS_PORT) return true;
  return port !== HTTP_PORT && type === 22 && major === 3;
}

// More lenient than any server should be: what one of them might take for a request must not pass as something else.
const BEFORE = /^[\t\r\n ]*/;
const METHOD = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const REQUEST_LINE = new RegExp(`^${METHOD}\\s+(?:\\S[^\\n]*\\sHTTP/[0-9]|https?://)`, "i");
const PART_OF_LINE = new RegExp(`^(?:${METHOD}(?:\\s[\\t\\r\\x20-\\x7e\\x80-\\xff]*)?)?$`);

/** Whether bytes begin like an HTTP request; `unknown` until their first line is whole. */
export function httpStart(bytes: Buffer): "yes" | "no" | "unknown" {
  const text = bytes.toString("latin1").replace(BEFORE, "");
  const end = text.indexOf("\n");
  if (end >= 0) return REQUEST_LINE.test(text.slice(0, end)) ? "yes" : "no";
  return PART_OF_LINE.test(text) ? "unknown" : "no";
}

type ClientHello =
  | { readonly kind: "incomplete" }
  | { readonly kind: "malformed" }
  | {
      readonly kind: "hello";
      readonly serverName?: string;
      /** There is a second, encrypted hello inside, with a name that cannot be seen. */
      readonly encrypted: boolean;
    };

/** No hello is longer; with keys for post-quantum exchanges they have two to four thousand bytes. */
const MAX_HELLO_BYTES: number = 16 * 1024;

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const MAX_RECORD_BYTES = 16_384;
const SERVER_NAME = 0;
const ENCRYPTED_CLIENT_HELLO = 0xfe0d;

/** Reads a ClientHello (RFC 8446, 4.1.2), also one that is spread over several records. */
export function parseClientHello(bytes: Uint8Array): ClientHello {
  const handshake = joinRecords(bytes);
  if (handshake === undefined) return { kind: "malformed" };
  const message = new Reader(handshake);
  try {
    if (message.number(1) !== CLIENT_HELLO) return { kind: "malformed" };
    const length = message.number(3);
    if (length > MAX_HELLO_BYTES) return { kind: "malformed" };
    if (message.left < length) return { kind: "incomplete" };
    return readHello(new Reader(message.bytes(length)));
  } catch (error) {
    if (!(error instanceof EndOfBytes)) throw error;
    return handshake.length < 4 ? { kind: "incomplete" } : { kind: "malformed" };
  }
}

/** The handshake bytes of as many whole and partial records as are there; undefined when another record is among them. */
function joinRecords(bytes: Uint8Array): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let wanted = Number.POSITIVE_INFINITY;
  let have = 0;
  for (let at = 0; at < bytes.length && have < wanted; ) {
    const [type, major = 3, , high, low] = bytes.subarray(at, at + 5);
    if (type !== HANDSHAKE_RECORD || major !== 3) return undefined;
    if (high === undefined || low === undefined) break;
    const length = high * 256 + low;
    if (length === 0 || length > MAX_RECORD_BYTES) return undefined;
    const part = bytes.subarray(at + 5, at + 5 + length);
    parts.push(part);
    have += part.length;
    at += 5 + length;
    // After the hello other records may follow, which are of no interest here.
    if (have >= 4 && !Number.isFinite(wanted)) wanted = 4 + Buffer.concat(parts).readUIntBE(1, 3);
  }
  return Buffer.concat(parts);
}

function readHello(hello: Reader): ClientHello {
  // Version and random, then session, cipher suites, compression.
  hello.bytes(34);
  hello.bytes(hello.number(1));
  hello.bytes(hello.number(2));
  hello.bytes(hello.number(1));
  if (hello.left === 0) return { kind: "hello", encrypted: false };
  const extensions = new Reader(hello.bytes(hello.number(2)));
  if (hello.left > 0) return { kind: "malformed" };
  const seen = new Set<number>();
  let serverName: string | undefined;
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const content = new Reader(extensions.bytes(extensions.number(2)));
    // Of two names, a server may take the other one.
    if (seen.has(type)) return { kind: "malformed" };
    seen.add(type);
    if (type !== SERVER_NAME) continue;
    serverName = readServerName(content);
    if (serverName === undefined) return { kind: "malformed" };
  }
  const encrypted = seen.has(ENCRYPTED_CLIENT_HELLO);
  return { kind: "hello", encrypted, ...(serverName === undefined ? {} : { serverName }) };
}

/** Exactly one name, of the only type there is (RFC 6066, 3). */
function readServerName(content: Reader): string | undefined {
  const list = new Reader(content.bytes(content.number(2)));
  if (content.left > 0 || list.number(1) !== 0) return undefined;
  const name = list.bytes(list.number(2));
  return list.left > 0 || name.length === 0 ? undefined : Buffer.from(name).toString("latin1");
}

class EndOfBytes extends Error {}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  bytes(count: number): Uint8Array {
    if (count > this.left) throw new EndOfBytes();
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  number(size: 1 | 2 | 3): number {
    return this.bytes(size).reduce((value, byte) => value * 256 + byte, 0);
  }
}
