import { expect, test } from "vitest";
import { absoluteTarget, connectAuthority } from "./proxy-request.ts";

const read = (method: string, url: string): object =>
  method === "CONNECT" ? connectAuthority(url) : absoluteTarget(url);

test.each([
  ["CONNECT", "API.example.org.:443", { host: "api.example.org", port: 443 }],
  ["CONNECT", "[0::1]:8080", { host: "::1", port: 8080 }],
  ["GET", "http://Example.org", { host: "example.org", port: 80, path: "/" }],
  ["GET", "HTTP://example.org:8080/a/../b?c", { host: "example.org", port: 8080, path: "/a/../b?c" }],
  ["GET", "http://example.org?q=1", { host: "example.org", port: 80, path: "/?q=1" }],
  ["GET", "http://[::1]:8080/", { host: "::1", port: 8080, path: "/" }],
])("%s %s is understood", (method, url, expected) => {
  expect(read(method, url)).toEqual(expected);
});

test.each([
  ["CONNECT", "example.org", "CONNECT needs a host and a port"],
  ["CONNECT", "http://example.org:443", "CONNECT needs a host and a port"],
  ["CONNECT", "user@example.org:443", "CONNECT needs a host and a port"],
  ["CONNECT", "2130706433:80", "CONNECT needs a host and a port"],
  ["GET", "/path", "This is a proxy"],
  ["GET", "https://example.org/", "ask with CONNECT"],
  ["GET", "ftp://example.org/", "This proxy only understands"],
  ["GET", "http://granted.test@evil.test/", "This proxy only understands"],
  ["GET", "http://granted.test\\@evil.test/", "This proxy only understands"],
  ["GET", "http://granted.test#@evil.test/", "This proxy only understands"],
  ["GET", "http://0x7f.1/", "This proxy only understands"],
  ["GET", "http:///path", "This proxy only understands"],
  ["OPTIONS", "*", "This proxy only understands"],
])("%s %s is refused", (method, url, message) => {
  expect(() => read(method, url)).toThrow(message);
});
