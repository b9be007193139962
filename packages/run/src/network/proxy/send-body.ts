import type { Writable } from "node:stream";
import type { BodyFraming } from "./body-framing.ts";
import type { ByteSource } from "./byte-source.ts";
import { ProxyFault } from "./proxy-fault.ts";
import { writeBytes } from "./write-bytes.ts";

// Sizes with up to eight digits and nothing behind them: extensions and trailers are where readers differ.
const CHUNK_SIZE = /^[0-9A-Fa-f]{1,8}$/;
const MAX_LINE_BYTES = 16;

/** Passes on the body of one request, and not a byte behind it. */
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
