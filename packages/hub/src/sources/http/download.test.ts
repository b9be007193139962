import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { download } from "./download.ts";
import { fetchContextFor } from "./testing/fetch-context-for.ts";
import { serve, serveFiles, serveSocket } from "./testing/serve.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe("what is fetched", () => {
  test("comes with its bytes, address, type and status", async () => {
    const { origin, host } = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/markdown", "content-length": 5 }).end("hello");
    });
    const found = await download(`${origin}/a`, fetchContextFor([host]));
    expect({ ...found, bytes: text(found.bytes), headers: undefined }).toEqual({
      bytes: "hello",
      url: `${origin}/a`,
      contentType: "text/markdown",
      status: 200,
      headers: undefined,
    });
  });

  test("is asked for by name and version of the program, unencoded, and without anything of the machine", async () => {
    let headers: unknown;
    const { origin, host } = await serve((request, response) => {
      headers = request.headers;
      response.end("x");
    });
    await download(origin, fetchContextFor([host]), { accept: "text/plain" });
    expect(headers).toEqual({
      host,
      "user-agent": expect.stringMatching(/^skillet\/\d+\.\d+\.\d+$/),
      accept: "text/plain",
      "accept-encoding": "identity",
      connection: "close",
    });
  });

  test("tells its progress", async () => {
    const { origin, host } = await serve((_, response) => {
      response.writeHead(200, { "content-length": 3 }).end("abc");
    });
    const steps: unknown[] = [];
    await download(
      `${origin}/x?token=secret`,
      fetchContextFor([host], { onStep: (step) => steps.push(step) }),
    );
    expect(steps).toEqual([{ step: "fetch", what: `${origin}/x`, doneBytes: 3, totalBytes: 3 }]);
  });

  test("may be sent something", async () => {
    const { origin, host } = await serve(async (request, response) => {
      const sent = createHash("sha256");
      for await (const chunk of request) sent.update(chunk as Uint8Array);
      response.writeHead(202).end(`${request.method} ${sent.digest("hex")}`);
    });
    const body = new Uint8Array(100_000).fill(7);
    const found = await download(origin, fetchContextFor([host]), { method: "PUT", body });
    expect(text(found.bytes)).toBe(`PUT ${createHash("sha256").update(body).digest("hex")}`);
  });

  test("has no body when only its headers are asked for", async () => {
    const { origin, host } = await serve((_, response) => {
      response.writeHead(200, { "content-length": 12 }).end();
    });
    const found = await download(origin, fetchContextFor([host]), { method: "HEAD" });
    expect([found.bytes.length, found.headers["content-length"]]).toEqual([0, "12"]);
  });
});

describe("a server that misbehaves", () => {
  test("is given up on when it says nothing", async () => {
    const { origin, host } = await serveSocket(() => undefined);
    const context = fetchContextFor([host], { limits: { idleMs: 50 } });
    await expect(download(origin, context)).rejects.toMatchObject({ code: "http-stalled" });
  });

  test("is given up on when it stops in the middle", async () => {
    const { origin, host } = await serveSocket((socket) =>
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"),
    );
    const context = fetchContextFor([host], { limits: { idleMs: 50 } });
    await expect(download(origin, context)).rejects.toMatchObject({ code: "http-stalled" });
  });

  test("is given up on when it drips for ever", async () => {
    const { origin, host } = await serveSocket((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n");
      const drip = setInterval(() => socket.write("a"), 5);
      socket.on("close", () => clearInterval(drip));
    });
    const context = fetchContextFor([host], { limits: { deadlineMs: 200 } });
    await expect(download(origin, context)).rejects.toMatchObject({ code: "http-stalled" });
  });

  test.each([
    [
      "drops the connection in the middle",
      "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc",
      "http-truncated",
    ],
    [
      "drops it within a chunk",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
      "http-truncated",
    ],
    [
      "drops it before the last chunk",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n",
      "http-truncated",
    ],
    ["drops it before it answers", "", "http-truncated"],
    ["drops it within its headers", "HTTP/1.1 200 OK\r\ncontent-le", "http-truncated"],
    ["does not say how long the answer is", "HTTP/1.1 200 OK\r\n\r\nabc", "http-truncated"],
    [
      "says that it is longer than allowed",
      "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nabc",
      "http-too-large",
    ],
    [
      "gives two lengths",
      "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
      "http-garbage",
    ],
    [
      "gives a length and chunks",
      "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "http-garbage",
    ],
    ["gives a length that is none", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nabc", "http-garbage"],
    ["sends garbage", "\x16\x03\x01\x02\x00 not http at all\r\n\r\n", "http-garbage"],
    ["sends endless headers", `HTTP/1.1 200 OK\r\n${"x-a: b\r\n".repeat(20_000)}`, "http-garbage"],
    [
      "encodes what it sends",
      "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc",
      "http-encoding",
    ],
  ])("that %s gives nothing", async (_, answer, code) => {
    const { origin, host } = await serveSocket((socket) => socket.end(Buffer.from(answer, "latin1")));
    const context = fetchContextFor([host]);
    await expect(download(`${origin}/SKILL.md`, context)).rejects.toMatchObject({ code });
  });

  test("that sends more than it says gives what it says, or nothing", async () => {
    const { origin, host } = await serveSocket((socket) =>
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcdef"),
    );
    const outcome = await download(origin, fetchContextFor([host])).then(
      ({ bytes }) => text(bytes),
      (error: { code: string }) => error.code,
    );
    expect(["abc", "http-garbage"]).toContain(outcome);
  });

  test.each(["identity", "gzip", "gzip, chunked", "chunked, identity", "x"])(
    "that frames a body as %s, which may be cut off or is something else, is refused",
    async (framing) => {
      const { origin, host } = await serveSocket((socket) => {
        socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: ${framing}\r\n\r\n---\nname: half`);
      });
      await expect(download(`${origin}/SKILL.md`, fetchContextFor([host]))).rejects.toMatchObject({
        code: expect.stringMatching(/^http-(?:encoding|garbage|truncated)$/) as string,
      });
    },
  );

  test("that sends more than is allowed without saying so is cut off", async () => {
    let sent = 0;
    const { origin, host } = await serve((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(new Uint8Array(65_536))) sent += 65_536;
      };
      response.on("drain", more);
      more();
    });
    const context = fetchContextFor([host]);
    await expect(download(origin, context, { maxBytes: 1000 })).rejects.toMatchObject({
      code: "http-too-large",
    });
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test("that calls a packed file an encoded one gives the file as it is", async () => {
    const packed = gzipSync("hello");
    const { origin, host } = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "x-gzip", "content-length": packed.length }).end(packed);
    });
    const { bytes } = await download(`${origin}/a.tar.gz`, fetchContextFor([host]));
    expect(Buffer.from(bytes).equals(packed)).toBe(true);
  });

  test.each([
    [206, { "content-range": "bytes 0-3/10" }],
    [226, { im: "feed" }],
  ])("that answers with a part that was not asked for (%i) gives nothing", async (status, headers) => {
    const { origin, host } = await serve((_, response) => {
      response.writeHead(status, { "content-length": 4, ...headers }).end("0123");
    });
    await expect(download(`${origin}/SKILL.md`, fetchContextFor([host]))).rejects.toMatchObject({
      code: "http-truncated",
      message: expect.stringContaining(String(status)),
    });
  });

  test("that is not there is said to be unreachable", async () => {
    const { origin, host, port } = await serveFiles({});
    const context = fetchContextFor([host, `127.0.0.2:${port}`]);
    await expect(download(origin.replace("0.0.1", "0.0.2"), context)).rejects.toMatchObject({
      code: "http-unreachable",
    });
  });

  test("that asks to come back later is quoted, and its address shown without its query", async () => {
    const { origin, host } = await serve((_, response) => {
      response.writeHead(429, { "retry-after": "120" }).end();
    });
    const error = (await download(`${origin}/x?token=secret`, fetchContextFor([host])).catch(
      (reason: unknown) => reason,
    )) as Error;
    expect(error).toMatchObject({ code: "http-status", data: { status: 429, retryAfter: "120" } });
    expect(error.message).toBe(`${origin}/x answered 429 (too many requests); try again in 120 seconds.`);
  });

  test("cannot put control characters into a message", async () => {
    const { origin, host } = await serveSocket((socket) =>
      socket.end("HTTP/1.1 503 \x1b[31m\r\nretry-after: a\x9bb\r\ncontent-length: 0\r\n\r\n"),
    );
    const error = (await download(origin, fetchContextFor([host])).catch(
      (reason: unknown) => reason,
    )) as Error;
    expect(error.message).toMatch(/^[\x20-\x7e]+$/);
  });
});

describe("a server that refuses", () => {
  test.each([
    ["without a length", "HTTP/1.1 404 Not Found\r\n\r\n<html>"],
    [
      "with an encoded page",
      "HTTP/1.1 404 Not Found\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc",
    ],
    [
      "with a page that is too large",
      `HTTP/1.1 404 Not Found\r\ncontent-length: 200000\r\n\r\n${"x".repeat(200_000)}`,
    ],
    [
      "with endless chunks",
      `HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n20000\r\n${"x".repeat(0x20000)}`,
    ],
  ])("%s is said to have refused", async (_, answer) => {
    const { origin, host } = await serveSocket((socket) => socket.write(answer));
    await expect(download(origin, fetchContextFor([host]), { maxBytes: 100 })).rejects.toMatchObject({
      code: "http-status",
      data: { status: 404 },
    });
  });

  test("gives its status and headers to those who can use them", async () => {
    const { origin, host } = await serve((_, response) => {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end("sign in");
    });
    const found = await download(origin, fetchContextFor([host]), { statuses: [401] });
    expect([found.status, found.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
  });

  test("by changing the protocol is given up on", async () => {
    const { origin, host } = await serveSocket((socket) =>
      socket.end("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nhello"),
    );
    await expect(download(origin, fetchContextFor([host]))).rejects.toMatchObject({
      code: "http-garbage",
    });
  });
});

describe("redirects", () => {
  test("need no length of a body that is not read", async () => {
    const { origin, host } = await serveSocket((socket) =>
      socket.end("HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n"),
    );
    await expect(download(origin, fetchContextFor([host]))).rejects.toMatchObject({
      code: "address-refused",
    });
  });

  test("are followed, and the last address is given", async () => {
    const { origin, host } = await serve((request, response) => {
      if (request.url === "/b") response.end("here");
      else response.writeHead(302, { location: "/b" }).end();
    });
    const found = await download(`${origin}/a`, fetchContextFor([host]));
    expect([text(found.bytes), found.url]).toEqual(["here", `${origin}/b`]);
  });

  test("that go round are ended after as many as are allowed", async () => {
    let asked = 0;
    const { origin, host } = await serve((_, response) => {
      asked++;
      response.writeHead(302, { location: "/again" }).end();
    });
    const context = fetchContextFor([host], { limits: { maxRedirects: 3 } });
    await expect(download(origin, context)).rejects.toMatchObject({ code: "http-redirect" });
    expect(asked).toBe(4);
  });

  test.each([
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://10.0.0.1/",
    "http://localhost/",
    "http://0x7f000001/",
  ])("to %s are refused", async (location) => {
    const { origin, host } = await serve((_, response) => {
      response.writeHead(302, { location }).end();
    });
    await expect(download(origin, fetchContextFor([host]))).rejects.toMatchObject({
      code: "address-refused",
    });
  });

  test("to another port of an allowed host are refused, where only the one port is allowed", async () => {
    const other = await serveFiles({ "/": "secret" });
    const { origin, host } = await serve((_, response) => {
      response.writeHead(302, { location: `${other.origin}/` }).end();
    });
    await expect(download(origin, fetchContextFor([host]))).rejects.toMatchObject({
      code: "address-refused",
    });
    expect(other.asked).toEqual([]);
  });

  test("to other protocols and to addresses with credentials are refused", async () => {
    for (const location of ["file:///etc/passwd", "gopher://127.0.0.1/", "http://user:secret@127.0.0.1/"]) {
      const { origin, host } = await serve((_, response) => {
        response.writeHead(302, { location }).end();
      });
      const error = (await download(origin, fetchContextFor([host])).catch(
        (reason: unknown) => reason,
      )) as Error;
      expect(error).toMatchObject({ code: "url-invalid" });
      expect(error.message).not.toContain("secret");
    }
  });

  test("take credentials along on the same origin, and to no other", async () => {
    const seen: unknown[] = [];
    const other = await serve((request, response) => {
      seen.push([request.headers.authorization, request.headers["x-token"]]);
      response.end("there");
    });
    const { origin, host } = await serve((request, response) => {
      seen.push([request.headers.authorization, request.headers["x-token"]]);
      response.writeHead(307, { location: request.url === "/a" ? "/b" : `${other.origin}/` }).end();
    });
    const headers = { authorization: "Bearer secret", "x-token": "secret" };
    await download(`${origin}/a`, fetchContextFor([host, other.host]), { headers });
    expect(seen).toEqual([
      ["Bearer secret", "secret"],
      ["Bearer secret", "secret"],
      [undefined, undefined],
    ]);
  });

  test("that come back from another origin bring no credentials back", async () => {
    const seen: string[] = [];
    let other = "";
    const first = await serve((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      if (request.url === "/blob")
        response.writeHead(302, { location: `${other}/b`, "content-length": 0 }).end();
      else response.writeHead(200, { "content-length": 2 }).end("ok");
    });
    const second = await serve((_, response) => {
      response.writeHead(302, { location: `${first.origin}/admin`, "content-length": 0 }).end();
    });
    other = second.origin;
    const context = fetchContextFor([first.host, second.host]);
    await download(`${first.origin}/blob`, context, { headers: { authorization: "Bearer secret" } });
    expect(seen).toEqual(["/blob Bearer secret", "/admin undefined"]);
  });
});

describe("the caller", () => {
  test("may end a download, and gets the reason back", async () => {
    const { origin, host } = await serveSocket(() => controller.abort(new Error("enough")));
    const controller = new AbortController();
    const context = fetchContextFor([host], { signal: controller.signal });
    await expect(download(origin, context)).rejects.toThrow("enough");
  });

  test.each([
    "ftp://example.com/",
    "no address",
    "http://u:p@example.com/",
    "http://[fe80::1%25eth0]/",
    "http://",
  ])("cannot ask for %s", async (url) => {
    await expect(download(url, fetchContextFor([]))).rejects.toMatchObject({ code: "url-invalid" });
  });
});
