import { canonicalHost } from "./network-grant.ts";
import type { NetworkRefusal } from "./network-refusal.ts";
import { type HostAndPort, HTTP_PORT, HTTPS_PORT } from "./proxy-request.ts";

// Each piece is judged together with all before it, so their number bounds the work.
const MAX_START_PIECES = 64;
/** Longer than any real hello; those with post-quantum keys have two to four thousand bytes. */
const MAX_HELLO_BYTES: number = 16 * 1024;

/** The protocol that a tunnel begins with, or why it is refused. */
export type TunnelStart = "http" | "anything" | NetworkRefusal["reason"];

/**
 * Judges the first bytes that go into a tunnel. A TLS hello must name the tunnel's host or none, so that a
 * granted host cannot front for another one at the same address; a request is judged when it is forwarded.
 * Port 443 requires a hello and port 80 a request; other ports allow any other protocol too. The content of
 * TLS cannot be seen.
 */
export function judgeTunnelStart(
  read: Buffer,
  { host, port }: HostAndPort,
  pieces: number,
): TunnelStart | "incomplete" {
  const judged = couldBeTls(read, port) ? judgeHello(read, host) : judgeText(read, port);
  const isTooMuch = pieces > MAX_START_PIECES || read.length > MAX_HELLO_BYTES;
  return judged === "incomplete" && isTooMuch ? unfinished(read, port) : judged;
}

/** Judges the bytes that arrived before the client closed its side. */
export function judgeTunnelEnd(read: Buffer, { port }: HostAndPort): TunnelStart {
  const isBound = port === HTTPS_PORT || port === HTTP_PORT;
  return isBound && read.length > 0 ? unfinished(read, port) : "anything";
}

function unfinished(read: Buffer, port: number): TunnelStart {
  return couldBeTls(read, port) ? "not-tls" : "not-http";
}

function judgeText(read: Buffer, port: number): TunnelStart | "incomplete" {
  const http = httpStart(read);
  if (http === "unknown") return "incomplete";
  if (http === "yes") return "http";
  return port === HTTP_PORT ? "not-http" : "anything";
}

function judgeHello(read: Buffer, host: string): TunnelStart | "incomplete" {
  const hello = parseClientHello(read);
  if (hello === "incomplete") return "incomplete";
  if (hello === "malformed") return "not-tls";
  const { serverName = host, encrypted } = hello;
  return !encrypted && canonicalHost(serverName) === host ? "anything" : "tls-name-differs";
}

function couldBeTls([type, major = 3]: Uint8Array, port: number): boolean {
  if (port === HTTPS_PORT) return true;
  return port !== HTTP_PORT && type === HANDSHAKE_RECORD && major === 3;
}

// More lenient than any server: text that some server might accept as a request must not pass.
const BEFORE = /^[\t\r\n ]*/;
const METHOD = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const REQUEST_LINE = new RegExp(`^${METHOD}\\s+(?:\\S[^\\n]*\\sHTTP/[0-9]|https?://)`, "i");
const PART_OF_LINE = new RegExp(`^(?:${METHOD}(?:\\s[\\t\\r\\x20-\\x7e\\x80-\\xff]*)?)?$`);

/** Whether bytes begin like an HTTP request; `unknown` until their first line is complete. */
export function httpStart(bytes: Buffer): "yes" | "no" | "unknown" {
  const text = bytes.toString("latin1").replace(BEFORE, "");
  const end = text.indexOf("\n");
  if (end >= 0) return REQUEST_LINE.test(text.slice(0, end)) ? "yes" : "no";
  return PART_OF_LINE.test(text) ? "unknown" : "no";
}

interface ClientHello {
  readonly serverName?: string;
  /** The hello contains a second, encrypted one, whose name cannot be seen. */
  readonly encrypted: boolean;
}

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const MAX_RECORD_BYTES = 16_384;
const SERVER_NAME = 0;
const ENCRYPTED_CLIENT_HELLO = 0xfe0d;

/** Reads a ClientHello (RFC 8446, 4.1.2), even if it is spread over several records. */
export function parseClientHello(bytes: Uint8Array): ClientHello | "incomplete" | "malformed" {
  const message = joinRecords(bytes);
  if (message === undefined) return "malformed";
  if (message.length < 4)
    return message[0] === undefined || message[0] === CLIENT_HELLO ? "incomplete" : "malformed";
  const length = message.readUIntBE(1, 3);
  if (message[0] !== CLIENT_HELLO || length > MAX_HELLO_BYTES) return "malformed";
  if (message.length < 4 + length) return "incomplete";
  try {
    return readHello(message.subarray(4, 4 + length)) ?? "malformed";
  } catch (error) {
    if (error instanceof EndOfBytes) return "malformed";
    throw error;
  }
}

/** Joins the records, the last of which may be partial; undefined if one is not a handshake record. */
function joinRecords(bytes: Uint8Array): Buffer | undefined {
  let message = Buffer.alloc(0);
  // Records after the hello do not matter here.
  const isWhole = (): boolean => message.length >= 4 && message.length >= 4 + message.readUIntBE(1, 3);
  for (let at = 0; at < bytes.length && !isWhole(); ) {
    const [type, major = 3, , high, low] = bytes.subarray(at, at + 5);
    if (type !== HANDSHAKE_RECORD || major !== 3) return undefined;
    if (high === undefined || low === undefined) break;
    const length = high * 256 + low;
    if (length === 0 || length > MAX_RECORD_BYTES) return undefined;
    message = Buffer.concat([message, bytes.subarray(at + 5, at + 5 + length)]);
    at += 5 + length;
  }
  return message;
}

class EndOfBytes extends Error {}

/** Reads vectors from the front of bytes: a length of one or two bytes, then that many bytes. */
function vectorsOf(bytes: Buffer): {
  left(): number;
  number(size: 1 | 2): number;
  vector(size: 1 | 2): Buffer;
} {
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw new EndOfBytes();
    at += count;
    return bytes.subarray(at - count, at);
  };
  const number = (size: 1 | 2): number => take(size).readUIntBE(0, size);
  return { left: () => bytes.length - at, number, vector: (size) => take(number(size)) };
}

function readHello(hello: Buffer): ClientHello | undefined {
  // Version and random; then session, cipher suites and compression.
  if (hello.length < 34) return undefined;
  const fields = vectorsOf(hello.subarray(34));
  for (const size of [1, 2, 1] as const) fields.vector(size);
  if (fields.left() === 0) return { encrypted: false };
  const extensions = vectorsOf(fields.vector(2));
  if (fields.left() > 0) return undefined;
  const found = new Map<number, Buffer>();
  while (extensions.left() > 0) {
    const type = extensions.number(2);
    // If an extension occurs twice, a server may read the other one.
    if (found.has(type)) return undefined;
    found.set(type, extensions.vector(2));
  }
  const encrypted = found.has(ENCRYPTED_CLIENT_HELLO);
  const names = found.get(SERVER_NAME);
  if (names === undefined) return { encrypted };
  const serverName = readServerName(names);
  return serverName === undefined ? undefined : { encrypted, serverName };
}

/** Accepts exactly one name, of the only type that exists (RFC 6066, 3). */
function readServerName(content: Buffer): string | undefined {
  const outer = vectorsOf(content);
  const list = vectorsOf(outer.vector(2));
  if (outer.left() > 0 || list.number(1) !== 0) return undefined;
  const name = list.vector(2);
  return list.left() > 0 || name.length === 0 ? undefined : name.toString("latin1");
}
