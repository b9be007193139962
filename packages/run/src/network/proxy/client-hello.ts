/** What the first message of a TLS client says about where it wants to go. */
export type ClientHello =
  /** More bytes are needed to know. */
  | { readonly kind: "incomplete" }
  | { readonly kind: "malformed" }
  | {
      readonly kind: "hello";
      readonly serverName?: string;
      /** There is a second, encrypted hello inside, with a name that cannot be seen. */
      readonly encrypted: boolean;
    };

/** No hello is longer; with keys for post-quantum exchanges they have two to four thousand bytes. */
export const MAX_HELLO_BYTES: number = 16 * 1024;

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

/** The handshake bytes of as many whole and partial records as are there; nothing when one is no handshake record. */
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
    // Behind the hello other records may follow, which are none of our business.
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
