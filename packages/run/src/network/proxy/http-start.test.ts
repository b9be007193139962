import { expect, test } from "vitest";
import { httpStart } from "./http-start.ts";

test.each([
  "GET / HTTP/1.1\r\n",
  "GET / HTTP/1.0\nHost: x\n\n",
  "get / http/1.1\n",
  "\r\n\r\n GET / HTTP/1.1\r\n",
  "X_LONG-METHOD.OF~SOMEBODY\t/\tHTTP/1.1\r\n",
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
