import type { ByteSource } from "./byte-source.ts";
import { ProxyFault } from "./proxy-fault.ts";
import { MAX_HEAD_BYTES, parseRequestHead, type RequestHead } from "./request-head.ts";

const END = "\r\n\r\n";

/** Reads up to the end of a request's head; nothing when the client left without a word. */
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
    if (head === undefined) throw new ProxyFault(400, "The head of the request is not what HTTP/1.1 says.");
    return head;
  }
}
