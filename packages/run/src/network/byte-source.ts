import type { Readable, Writable } from "node:stream";
import { type BodyFraming, ProxyFault } from "./proxy-request.ts";

/**
 * Reads a stream piece by piece; what was read too far can be put back. Unlike an iterator it leaves the stream alone
 * at its end, when the other direction may still have something to say.
 */
export class ByteSource {
  readonly #stream: Readable;
  #held: Buffer | undefined;
  /** Whether anything came. */
  started = false;
  #wake: (() => void) | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    for (const event of ["readable", "end", "close", "error"]) stream.on(event, () => this.#wake?.());
  }

  /** The next piece; undefined at the end. Rejects when the stream breaks. */
  async next(): Promise<Buffer | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return held;
    for (;;) {
      const piece: Buffer | null = this.#stream.read();
      if (piece !== null) {
        this.started = true;
        return piece;
      }
      if (this.#stream.readableEnded) return undefined;
      if (this.#stream.destroyed) throw this.#stream.errored ?? connectionBroken();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  unread(bytes: Buffer): void {
    this.#held = bytes.length > 0 ? bytes : undefined;
  }
}

function connectionBroken(): Error {
  return Object.assign(new Error("The connection broke before its end."), { code: "ECONNRESET" });
}

/** Writes, and waits until it is taken: so no more than one piece of each connection waits in memory. */
export function writeBytes(stream: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error == null ? resolve() : reject(error)));
  });
}

export async function relay(source: ByteSource, stream: Writable): Promise<void> {
  for (let piece = await source.next(); piece !== undefined; piece = await source.next())
    await writeBytes(stream, piece);
  await endStream(stream);
}

export function endStream(stream: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once("error", reject);
    stream.once("close", resolve);
    stream.end(resolve);
  });
}

// Sizes with up to eight digits and nothing after them: extensions and trailers are where readers differ.
const CHUNK_SIZE = /^[0-9A-Fa-f]{1,8}$/;
const MAX_LINE_BYTES = 16;

/** Passes on the body of one request, and not a byte after it. */
export async function sendBody(source: ByteSource, target: Writable, framing: BodyFraming): Promise<void> {
  if (framing.kind === "length") await sendBytes(source, target, framing.bytes);
  if (framing.kind === "chunked") await sendChunks(source, target);
}

async function sendBytes(source: ByteSource, target: Writable, bytes: number): Promise<void> {
  for (let left = bytes; left > 0; ) {
    const piece = await nextPiece(source);
    source.unread(piece.subarray(left));
    const body = piece.subarray(0, left);
    left -= body.length;
    await writeBytes(target, body);
  }
}

async function sendChunks(source: ByteSource, target: Writable): Promise<void> {
  for (;;) {
    const line = await readLine(source);
    if (!CHUNK_SIZE.test(line)) throw new ProxyFault(400, "The body is not chunked the way it should be.");
    const bytes = Number.parseInt(line, 16);
    await writeBytes(target, Buffer.from(`${bytes.toString(16)}\r\n`));
    await sendBytes(source, target, bytes);
    if ((await readLine(source)) !== "")
      throw new ProxyFault(400, "A chunk of the body has the wrong length.");
    await writeBytes(target, Buffer.from("\r\n"));
    if (bytes === 0) return;
  }
}

async function readLine(source: ByteSource): Promise<string> {
  let read = Buffer.alloc(0);
  for (;;) {
    read = Buffer.concat([read, await nextPiece(source)]);
    const end = read.indexOf("\r\n");
    if (end > MAX_LINE_BYTES || (end < 0 && read.length > MAX_LINE_BYTES))
      throw new ProxyFault(400, "The body is not chunked the way it should be.");
    if (end < 0) continue;
    source.unread(read.subarray(end + 2));
    return read.toString("latin1", 0, end);
  }
}

async function nextPiece(source: ByteSource): Promise<Buffer> {
  const piece = await source.next();
  if (piece === undefined) throw new ProxyFault(400, "The request ends before its body does.");
  return piece;
}
