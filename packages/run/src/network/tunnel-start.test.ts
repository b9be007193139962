import { once } from "node:events";
import { connect } from "node:tls";
import fc from "fast-check";
import { expect, test } from "vitest";
import { channelPair } from "./testing/channel-pair.ts";
import { clientHelloBytes, serverNameExtension } from "./testing/client-hello-bytes.ts";
import { httpStart, judgeTunnelEnd, judgeTunnelStart, parseClientHello } from "./tunnel-start.ts";

const HELLO = clientHelloBytes([serverNameExtension("granted.example")]);
const REQUEST = Buffer.from("GET / HTTP/1.1\r\nHost: granted.example\r\n\r\n");

/** The verdict when these bytes come in pieces of one size. */
function start(port: number, bytes: Buffer, pieceBytes: number): unknown {
  const target = { host: "granted.example", port };
  for (let pieces = 1; (pieces - 1) * pieceBytes < bytes.length; pieces += 1) {
    const found = judgeTunnelStart(bytes.subarray(0, pieces * pieceBytes), target, pieces);
    if (found !== "incomplete") return found;
  }
  return judgeTunnelEnd(bytes, target);
}

test.each([
  ["TLS", HELLO, { 80: "not-http", 443: "anything", 8080: "anything" }],
  ["a request", REQUEST, { 80: "http", 443: "not-tls", 8080: "http" }],
  ["something else", Buffer.from("EHLO x\r\n"), { 80: "not-http", 443: "not-tls", 8080: "anything" }],
  ["half a line", Buffer.from("GET / HT"), { 80: "not-http", 443: "not-tls", 8080: "anything" }],
  ["nothing", Buffer.alloc(0), { 80: "anything", 443: "anything", 8080: "anything" }],
])("%s is let into a tunnel by its port", (_what, bytes, expected) => {
  for (const [port, found] of Object.entries(expected))
    for (const pieceBytes of [Math.max(1, bytes.length), 5, ...(bytes.length < 60 ? [1] : [])])
      expect([port, pieceBytes, start(Number(port), bytes, pieceBytes)]).toEqual([port, pieceBytes, found]);
});

test("a line that does not end, or comes in too many pieces, is not waited for", () => {
  expect(start(8080, Buffer.alloc(60_000, "a"), 10_000)).toEqual("not-http");
  expect(start(8080, Buffer.alloc(100, "a"), 1)).toEqual("not-http");
});

test.each([
  "GET / HTTP/1.1\r\n",
  "GET / HTTP/1.0\nHost: x\n\n",
  "get / http/1.1\n",
  "\r\n\r\n GET / HTTP/1.1\r\n",
  "X_LONG-METHOD.OF~OTHERS\t/\tHTTP/1.1\r\n",
  "GET /a b HTTP/1.1\r\n",
  "GET /a\rb HTTP/1.1\r\n",
  "GET http://other.example/\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
])("%j begins like a request, and is not decided before its line is whole", (text) => {
  expect(httpStart(Buffer.from(text))).toBe("yes");
  const first = text.indexOf("\n", text.search(/\S/));
  for (let length = 0; length <= first; length += 1)
    expect([length, httpStart(Buffer.from(text.slice(0, length)))]).toEqual([length, "unknown"]);
});

test.each([
  "EHLO there\r\n",
  "SSH-2.0-OpenSSH_9.2\r\n",
  "*1\r\n$4\r\nPING\r\n",
  "get key\r\n",
  "OPTIONS * RTSP/1.0\r\n",
  '{"jsonrpc":',
  "\0\0\0\x08\x04\xd2\x16\x2f",
  "user\0",
  "<stream",
])("%j does not", (text) => {
  expect(httpStart(Buffer.from(text, "latin1"))).toBe("no");
});

const named = serverNameExtension("api.test");
const other = { type: 43, content: Buffer.from([2, 3, 4]) };

test("the hello of a real client gives the name that it was given", async () => {
  const [wire, other] = await channelPair();
  const client = connect({ socket: wire, servername: "api.test" });
  client.on("error", () => client.destroy());
  const [hello] = (await once(other, "data")) as [Buffer];
  client.destroy();
  other.destroy();
  expect(parseClientHello(hello)).toEqual({ serverName: "api.test", encrypted: false });
});

test("a hello is read from any number of records, and what follows it is left alone", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.uint8Array({ maxLength: 20 }), (recordBytes, after) => {
      const bytes = Buffer.concat([clientHelloBytes([other, named], recordBytes), after]);
      expect(parseClientHello(bytes)).toEqual({ serverName: "api.test", encrypted: false });
    }),
  );
});

test("a hello is incomplete until its last byte", () => {
  const bytes = clientHelloBytes([named, other], 40);
  for (let length = 0; length < bytes.length; length += 1)
    expect(parseClientHello(bytes.subarray(0, length))).toBe("incomplete");
});

test("a hello without a name has none, and one with an encrypted hello inside says so", () => {
  expect(parseClientHello(clientHelloBytes([other]))).toEqual({ encrypted: false });
  expect(parseClientHello(clientHelloBytes([named, { type: 0xfe0d, content: Buffer.alloc(9) }]))).toEqual({
    serverName: "api.test",
    encrypted: true,
  });
});

test.each([
  ["two names", clientHelloBytes([serverNameExtension("api.test", "evil.test")])],
  ["two lists of names", clientHelloBytes([named, serverNameExtension("evil.test")])],
  ["an empty name", clientHelloBytes([serverNameExtension("")])],
  ["no name in the list", clientHelloBytes([serverNameExtension()])],
  ["a list that is too long", clientHelloBytes([{ type: 0, content: Buffer.from([0, 9, 0, 0, 1, 97]) }])],
  ["a record of no bytes", Buffer.from([22, 3, 1, 0, 0])],
  ["a record that is too long", Buffer.from([22, 3, 1, 0x40, 1])],
  ["a record of another kind", Buffer.from([23, 3, 1, 0, 5])],
  ["a message of another kind", Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
  ["an impossible length", Buffer.from([22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff])],
  ["the older format", Buffer.from([0x80, 0x2e, 1, 3, 1])],
  ["plain text", Buffer.from("GET / HTTP/1.1")],
])("a hello with %s is malformed", (_what, bytes) => {
  expect(parseClientHello(bytes)).toBe("malformed");
});

test("no bytes make it fail", () => {
  const start = clientHelloBytes([named, other]);
  fc.assert(
    fc.property(
      fc.nat(start.length - 1),
      fc.nat(255),
      fc.uint8Array({ maxLength: 50 }),
      (at, value, after) => {
        const bytes = Buffer.concat([start, after]);
        bytes[at] = value;
        expect(() => parseClientHello(bytes)).not.toThrow();
        expect(() => parseClientHello(after)).not.toThrow();
      },
    ),
    { numRuns: 1000 },
  );
});
