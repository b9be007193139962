import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { clientHelloBytes, serverNameExtension } from "../testing/client-hello-bytes.ts";
import { ByteSource } from "./byte-source.ts";
import { checkTunnelStart } from "./check-tunnel-start.ts";
import { RefusalList } from "./refusal-list.ts";

const HELLO = clientHelloBytes([serverNameExtension("granted.example")]);
const REQUEST = Buffer.from("GET / HTTP/1.1\r\nHost: granted.example\r\n\r\n");

/** What is found when these bytes come in pieces of one size, and what is then left to read. */
async function start(port: number, bytes: Buffer, pieceBytes: number): Promise<unknown> {
  const stream = new PassThrough();
  const source = new ByteSource(stream);
  const refusals = new RefusalList();
  const context = {
    grants: [],
    refusals,
    resolve: async () => [],
    connectTimeoutMs: 1000,
    headTimeoutMs: 1000,
  };
  const found = checkTunnelStart(source, { host: "granted.example", port }, context);
  found.catch(() => undefined);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    stream.write(bytes.subarray(at, at + pieceBytes));
    await new Promise(setImmediate);
  }
  stream.end();
  try {
    const what = await found;
    const left: Buffer[] = [];
    for (let piece = await source.next(); piece !== undefined; piece = await source.next()) left.push(piece);
    expect(Buffer.concat(left)).toEqual(bytes);
    return what;
  } catch (error) {
    return [(error as { status: number }).status, ...refusals.entries.map(({ reason }) => reason)];
  }
}

test.each([
  ["TLS", HELLO, { 80: [403, "not-http"], 443: "anything", 8080: "anything" }],
  ["a request", REQUEST, { 80: "http", 443: [403, "not-tls"], 8080: "http" }],
  [
    "something else",
    Buffer.from("EHLO x\r\n"),
    { 80: [403, "not-http"], 443: [403, "not-tls"], 8080: "anything" },
  ],
  [
    "half a line",
    Buffer.from("GET / HT"),
    { 80: [403, "not-http"], 443: [403, "not-tls"], 8080: "anything" },
  ],
  ["nothing", Buffer.alloc(0), { 80: "anything", 443: "anything", 8080: "anything" }],
])("%s is let into a tunnel by its port", async (_what, bytes, expected) => {
  for (const [port, found] of Object.entries(expected))
    for (const pieceBytes of [Math.max(1, bytes.length), 5, ...(bytes.length < 60 ? [1] : [])])
      expect([port, pieceBytes, await start(Number(port), bytes, pieceBytes)]).toEqual([
        port,
        pieceBytes,
        found,
      ]);
});

test("a line that does not end, or comes in too many pieces, is not waited for", async () => {
  expect(await start(8080, Buffer.alloc(60_000, "a"), 10_000)).toEqual([403, "not-http"]);
  expect(await start(8080, Buffer.alloc(100, "a"), 1)).toEqual([403, "not-http"]);
});
