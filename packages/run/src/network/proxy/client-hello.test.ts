import { once } from "node:events";
import { connect } from "node:tls";
import fc from "fast-check";
import { expect, test } from "vitest";
import { channelPair } from "../testing/channel-pair.ts";
import { clientHelloBytes, serverNameExtension } from "../testing/client-hello-bytes.ts";
import { parseClientHello } from "./client-hello.ts";

const named = serverNameExtension("api.test");
const other = { type: 43, content: Buffer.from([2, 3, 4]) };

test("the hello of a real client gives the name that it was given", async () => {
  const [wire, other] = await channelPair();
  const client = connect({ socket: wire, servername: "api.test" });
  client.on("error", () => client.destroy());
  const [hello] = (await once(other, "data")) as [Buffer];
  client.destroy();
  other.destroy();
  expect(parseClientHello(hello)).toEqual({ kind: "hello", serverName: "api.test", encrypted: false });
});

test("a hello is read from any number of records, and what follows it is left alone", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.uint8Array({ maxLength: 20 }), (recordBytes, behind) => {
      const bytes = Buffer.concat([clientHelloBytes([other, named], recordBytes), behind]);
      expect(parseClientHello(bytes)).toEqual({ kind: "hello", serverName: "api.test", encrypted: false });
    }),
  );
});

test("a hello is incomplete until its last byte", () => {
  const bytes = clientHelloBytes([named, other], 40);
  for (let length = 0; length < bytes.length; length += 1)
    expect(parseClientHello(bytes.subarray(0, length))).toEqual({ kind: "incomplete" });
});

test("a hello without a name has none, and one with an encrypted hello inside says so", () => {
  expect(parseClientHello(clientHelloBytes([other]))).toEqual({ kind: "hello", encrypted: false });
  expect(parseClientHello(clientHelloBytes([named, { type: 0xfe0d, content: Buffer.alloc(9) }]))).toEqual({
    kind: "hello",
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
  expect(parseClientHello(bytes)).toEqual({ kind: "malformed" });
});

test("no bytes make it fail", () => {
  const start = clientHelloBytes([named, other]);
  fc.assert(
    fc.property(
      fc.nat(start.length - 1),
      fc.nat(255),
      fc.uint8Array({ maxLength: 50 }),
      (at, value, behind) => {
        const bytes = Buffer.concat([start, behind]);
        bytes[at] = value;
        expect(["hello", "incomplete", "malformed"]).toContain(parseClientHello(bytes).kind);
        expect(["hello", "incomplete", "malformed"]).toContain(parseClientHello(behind).kind);
      },
    ),
    { numRuns: 1000 },
  );
});
