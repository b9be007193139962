import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bodyFraming,
  forwardedHead,
  parseRequestHead,
  type RequestHead,
  type RequestTarget,
  requestTarget,
} from "./proxy-request.ts";

const parse = (...lines: string[]): RequestHead | undefined =>
  parseRequestHead(Buffer.from(lines.join("\r\n"), "latin1"));

test("a head is read with its fields in order, names in lower case, values without outer white space", () => {
  expect(parse("GET http://a.test/ HTTP/1.1", "Host: a.test", "X-Odd:\t \xe9 b \t", "Empty:")).toEqual({
    method: "GET",
    target: "http://a.test/",
    version: "1.1",
    fields: [
      ["host", "a.test"],
      ["x-odd", "\xe9 b"],
      ["empty", ""],
    ],
  });
});

test.each([
  ["", []],
  ["GET  http://a.test/ HTTP/1.1", []],
  ["GET http://a.test/ HTTP/1.1 ", []],
  ["GET http://a.test/a b HTTP/1.1", []],
  ["get http://a.test/ HTTP/1.1", []],
  ["GET http://a.test/ HTTP/2.0", []],
  ["GET http://a.test/", []],
  ["GET http://\xe9.test/ HTTP/1.1", []],
  ["GET http://a.test/\nX: HTTP/1.1", []],
  ["GET / HTTP/1.1", ["Content-Length : 5"]],
  ["GET / HTTP/1.1", [" folded: yes"]],
  ["GET / HTTP/1.1", ["A: b", "\tfolded"]],
  ["GET / HTTP/1.1", ["no colon"]],
  ["GET / HTTP/1.1", [": no name"]],
  ["GET / HTTP/1.1", ["A: b\nContent-Length: 5"]],
  ["GET / HTTP/1.1", ["A: b\rContent-Length: 5"]],
  ["GET / HTTP/1.1", ["A: b\0"]],
  ["GET / HTTP/1.1", ["A\xe9: b"]],
  ["GET / HTTP/1.1", [""]],
  ["GET / HTTP/1.1", Array.from({ length: 101 }, () => "A: b")],
  ["GET / HTTP/1.1", [`A: ${"b".repeat(32 * 1024)}`]],
])("%j with the fields %j is refused", (line, fields) => {
  expect(parse(line, ...fields)).toBeUndefined();
});

test.each([
  [[], { kind: "none" }],
  [["Content-Length: 0"], { kind: "length", bytes: 0 }],
  [["Content-Length: 12 "], { kind: "length", bytes: 12 }],
  [["Transfer-Encoding: Chunked"], { kind: "chunked" }],
  [["Content-Length: 5", "Transfer-Encoding: chunked"], undefined],
  [["Content-Length: 5", "Content-Length: 5"], undefined],
  [["Content-Length: 5, 5"], undefined],
  [["Content-Length: +5"], undefined],
  [["Content-Length: 0x5"], undefined],
  [["Content-Length: "], undefined],
  [["Content-Length: 9999999999999999"], undefined],
  [["Transfer-Encoding: gzip, chunked"], undefined],
  [["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], undefined],
  [["Transfer-Encoding: \x0bchunked"], "no head"],
  [["Transfer-Encoding: identity"], undefined],
])("the body of a request with %j ends at %j", (fields, framing) => {
  const head = parse("POST http://a.test/ HTTP/1.1", ...fields);
  expect(head === undefined ? "no head" : bodyFraming(head)).toEqual(framing);
});

test("a chunked body is refused for HTTP/1.0, which does not know it", () => {
  expect(bodyFraming(parse("POST http://a.test/ HTTP/1.0", "Transfer-Encoding: chunked")!)).toBeUndefined();
});

test("a head goes on with our host, framing and connection, and without what was for the proxy alone", () => {
  const head = parse(
    "POST http://a.test:8080/x?y HTTP/1.0",
    "Host: evil.test",
    "Proxy-Authorization: Basic c2VjcmV0",
    "Proxy-Connection: keep-alive",
    "Connection: X-Secret, close, content-length",
    "X-Secret: 1",
    "TE: trailers",
    "Upgrade: h2c",
    "Content-Length: 3",
    "Accept: */*",
  )!;
  const forwarded = forwardedHead(head, {
    host: "a.test",
    port: 8080,
    path: "/x?y",
    framing: { kind: "length", bytes: 3 },
  });
  expect(forwarded.toString()).toBe(
    "POST /x?y HTTP/1.1\r\nHost: a.test:8080\r\naccept: */*\r\nContent-Length: 3\r\nConnection: close\r\n\r\n",
  );
});

test("whatever is taken goes on as exactly one head with exactly one host", () => {
  const text = fc.string({ unit: fc.constantFrom(..."aZ:,; \t\r\n\0\x7f\xe9-_"), maxLength: 12 });
  const name = fc.constantFrom("Host", "Connection", "X", "Content-Length", "Transfer-Encoding");
  fc.assert(
    fc.property(fc.array(fc.tuple(name, text)), (fields) => {
      const head = parse("GET http://a.test/ HTTP/1.1", ...fields.map(([key, value]) => `${key}:${value}`));
      if (head === undefined) return;
      const place = { host: "a.test", port: 80, path: "/", framing: { kind: "none" as const } };
      const forwarded = forwardedHead(head, place).toString("latin1");
      expect(forwarded.indexOf("\r\n\r\n")).toBe(forwarded.length - 4);
      const lines = forwarded.slice(0, -4).split("\r\n");
      expect(lines.every((line) => !/[\r\n\0]/.test(line))).toBe(true);
      expect(
        lines.filter((line) => /^(?:host|connection|content-length|transfer-encoding)\b/i.test(line)),
      ).toEqual(["Host: a.test", "Connection: close"]);
    }),
    { numRuns: 500 },
  );
});

const read = (method: string, target: string): RequestTarget =>
  requestTarget({ method, target, version: "1.1", fields: [] });

test.each([
  ["CONNECT", "API.example.org.:443", { host: "api.example.org", port: 443 }],
  ["CONNECT", "[0::1]:8080", { host: "::1", port: 8080 }],
  ["GET", "http://Example.org", { host: "example.org", port: 80, path: "/" }],
  ["GET", "HTTP://example.org:8080/a/../b?c", { host: "example.org", port: 8080, path: "/a/../b?c" }],
  ["GET", "http://example.org?q=1", { host: "example.org", port: 80, path: "/?q=1" }],
  ["GET", "http://[::1]:8080/", { host: "::1", port: 8080, path: "/" }],
])("%s %s is understood", (method, target, expected) => {
  expect(read(method, target)).toEqual(expected);
});

test.each([
  ["CONNECT", "example.org", "CONNECT needs a host and a port"],
  ["CONNECT", "http://example.org:443", "CONNECT needs a host and a port"],
  ["CONNECT", "user@example.org:443", "CONNECT needs a host and a port"],
  ["CONNECT", "2130706433:80", "CONNECT needs a host and a port"],
  ["GET", "/path", "This is a proxy"],
  ["GET", "https://example.org/", "ask with CONNECT"],
  ["GET", "ftp://example.org/", "This proxy understands"],
  ["GET", "http://granted.test@evil.test/", "This proxy understands"],
  ["GET", "http://granted.test\\@evil.test/", "This proxy understands"],
  ["GET", "http://granted.test#@evil.test/", "This proxy understands"],
  ["GET", "http://0x7f.1/", "This proxy understands"],
  ["GET", "http:///path", "This proxy understands"],
  ["OPTIONS", "*", "This proxy understands"],
])("%s %s is refused", (method, target, message) => {
  expect(() => read(method, target)).toThrow(message);
});
