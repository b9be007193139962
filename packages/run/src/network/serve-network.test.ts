import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { longEnough } from "../../../kit/src/testing/long-enough.ts";
import type { NetworkGrant } from "./network-grant.ts";
import type { ServeNetworkOptions } from "./serve-network.ts";
import { listen } from "./testing/channel-pair.ts";
import { clientHelloBytes, serverNameExtension } from "./testing/client-hello-bytes.ts";
import { type ProxyClient, proxyClient, readAll } from "./testing/proxy-client.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function proxy(grants: readonly NetworkGrant[], options?: ServeNetworkOptions): Promise<ProxyClient> {
  const made = await proxyClient(grants, options);
  closing.push(() => made.close());
  return made;
}

/** A server that answers every request with what it heard. */
async function echoServer(): Promise<number> {
  const server = createHttpServer((request, response) => {
    let body = "";
    request.setEncoding("latin1").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () =>
      response.end(JSON.stringify([request.method, request.url, request.headers.host, body])),
    );
  });
  closing.push(() => server.closeAllConnections());
  return listening(server);
}

async function rawServer(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    onConnection(socket);
  });
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return listening(server);
}

async function listening(server: Server): Promise<number> {
  closing.push(() => server.close());
  return listen(server);
}

/** Asks for a tunnel; gives the connection once the proxy has opened it. */
async function tunnelTo(made: ProxyClient, authority: string): Promise<Duplex> {
  const connection = made.open();
  connection.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const yes = "HTTP/1.1 200 Connection established\r\n\r\n";
  await once(connection, "readable");
  const start: Buffer = connection.read();
  connection.unshift(start.subarray(yes.length));
  expect(start.toString("latin1", 0, yes.length)).toBe(yes);
  return connection;
}

const bodyOf = (answer: string): string => answer.slice(answer.indexOf("\r\n\r\n") + 4);
const get = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: evil.test\r\n\r\n`;

describe("a request", () => {
  test("to a granted address is made in the name of its target, whatever Host says", async () => {
    const port = await echoServer();
    const made = await proxy([{ host: "127.0.0.1", port }]);
    const answer = await made.ask(get(`http://127.0.0.1:${port}/a?b=c`));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(
      JSON.parse(
        bodyOf(answer)
          .replace(/^.*?\[/s, "[")
          .replace(/\].*$/s, "]"),
      ),
    ).toEqual(["GET", "/a?b=c", `127.0.0.1:${port}`, ""]);
    expect(made.service.refusals).toEqual([]);
  });

  test("carries its body, by length and in chunks", async () => {
    const port = await echoServer();
    const made = await proxy([{ host: "localhost", port }]);
    const start = `POST http://localhost:${port}/ HTTP/1.1\r\n`;
    expect(await made.ask(`${start}Content-Length: 5\r\n\r\nhello`)).toContain(
      `"localhost:${port}","hello"]`,
    );
    const chunked = await made.ask(
      `${start}Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n`,
    );
    expect(chunked).toContain(`"localhost:${port}","hello"]`);
  });

  test("that is not granted is refused with the grant that it needs, and listed once with its count", async () => {
    const port = await echoServer();
    const made = await proxy([{ host: "127.0.0.1" }], { resolve: () => Promise.reject(new Error("asked")) });
    const answer = await made.ask(get(`http://127.0.0.1:${port}/`));
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\nContent-Type: text\/plain; charset=utf-8\r\n/);
    expect(bodyOf(answer)).toBe(
      `Skillet: 127.0.0.1:${port} is not granted. It needs the grant "127.0.0.1:${port}".\n`,
    );
    await made.ask(get(`http://127.0.0.1:${port}/`));
    expect(bodyOf(await made.ask(get("http://Other.Test./")))).toBe(
      'Skillet: other.test:80 is not granted. It needs the grant "other.test".\n',
    );
    await made.ask("CONNECT [::1]:443 HTTP/1.1\r\n\r\n");
    expect(made.service.refusals).toEqual([
      { host: "127.0.0.1", port, reason: "not-granted", count: 2 },
      { host: "other.test", port: 80, reason: "not-granted", count: 1 },
      { host: "::1", port: 443, reason: "not-granted", count: 1 },
    ]);
  });

  test("to a granted name that leads to this machine is refused, unless that address is granted too", async () => {
    const port = await echoServer();
    const options = {
      resolve: async (): Promise<string[]> => ["169.254.169.254", "127.0.0.1", "::ffff:7f00:1"],
    };
    const strict = await proxy([{ host: "*.api.test", port }], options);
    expect(bodyOf(await strict.ask(get(`http://a.api.test:${port}/`)))).toContain("leads to 169.254.169.254");
    expect(strict.service.refusals).toEqual([
      { host: "a.api.test", port, address: "169.254.169.254", reason: "address-not-granted", count: 1 },
    ]);
    const wide = await proxy(
      [
        { host: "*.api.test", port },
        { host: "127.0.0.1", port },
      ],
      options,
    );
    expect(await wide.ask(get(`http://a.api.test:${port}/`))).toContain(`"a.api.test:${port}"`);
  });

  test("is looked up once, and goes to the address that was checked", async () => {
    const port = await echoServer();
    let lookups = 0;
    const resolve = async (): Promise<string[]> => {
      lookups += 1;
      return lookups === 1 ? ["127.0.0.1"] : ["127.0.0.2"];
    };
    const made = await proxy(
      [
        { host: "api.test", port },
        { host: "127.0.0.1", port },
      ],
      { resolve },
    );
    expect(await made.ask(get(`http://api.test:${port}/`))).toContain("200 OK");
    expect(lookups).toBe(1);
  });

  test("whose host has no address, or none that answers, gets told so", async () => {
    const free = await rawServer(() => undefined);
    closing.splice(-1, 1)[0]?.();
    const resolve = (): Promise<never> =>
      Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    const made = await proxy([{ host: "api.test" }, { host: "127.0.0.1", port: free }], { resolve });
    expect(bodyOf(await made.ask(get("http://api.test/")))).toBe(
      "Skillet: No address was found for api.test (ENOTFOUND).\n",
    );
    expect(bodyOf(await made.ask(get(`http://127.0.0.1:${free}/`)))).toBe(
      `Skillet: 127.0.0.1:${free} could not be reached (ECONNREFUSED).\n`,
    );
  });

  test("that hides a second one is never passed on with it", async () => {
    let heard = "";
    const port = await rawServer((socket) => {
      socket.on("data", (bytes: Buffer) => {
        heard += bytes.toString("latin1");
      });
    });
    const made = await proxy([{ host: "127.0.0.1", port }]);
    const start = `POST http://127.0.0.1:${port}/ HTTP/1.1\r\n`;
    const second = "GET /admin HTTP/1.1\r\nHost: other\r\n\r\n";
    const both = "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(await made.ask(`${start}${both}0\r\n\r\n${second}`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await made.ask(`${start}Content-Length: 3\r\nContent-Length: 90\r\n\r\nabc${second}`)).toMatch(
      / 400 /,
    );
    expect(await made.ask(`${start}Content-Length: 3\r\n\r\nabc${second}`)).toMatch(
      / 400 .*Only one request/s,
    );
    expect(await made.ask(`${start}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${second}`)).toMatch(/ 400 /);
    expect(heard).not.toContain("admin");
  });

  test.each([
    "Content-Length: 5, 5",
    "Content-Length: +5",
    "Content-Length: 0x5",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Transfer-Encoding: \x0bchunked",
    "Transfer-Encoding: identity",
    " folded: yes",
    "A: b\nContent-Length: 5\r",
    "A: b\rContent-Length: 5",
    "A: b\0",
    "no colon",
    ": no name",
  ])("with the header %j reaches no host as it is", async (header) => {
    const heard: string[] = [];
    const port = await rawServer((socket) => {
      socket.on("data", (bytes: Buffer) => heard.push(bytes.toString("latin1")));
      setImmediate(() => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    });
    const made = await proxy([{ host: "127.0.0.1", port }]);
    const answer = await made.ask(`POST http://127.0.0.1:${port}/ HTTP/1.1\r\n${header}\r\n\r\nhello`);
    expect(answer).toMatch(/^HTTP\/1\.1 [45]/);
    expect(heard).toEqual([]);
  });

  test("goes on with our host and framing, and without what was for the proxy alone", async () => {
    let heard = "";
    const port = await rawServer((socket) => {
      socket.on("data", (bytes: Buffer) => {
        heard += bytes.toString("latin1");
        if (heard.endsWith("abc")) socket.end("HTTP/1.1 204 No Content\r\n\r\n");
      });
    });
    const made = await proxy([{ host: "127.0.0.1", port }]);
    const headers = [
      "Host: evil.test",
      "Proxy-Authorization: Basic c2VjcmV0",
      "Proxy-Connection: keep-alive",
      "Connection: X-Secret, close",
      "X-Secret: 1",
      "TE: trailers",
      "Upgrade: h2c",
      "Content-Length: 3",
      "Accept: */*",
    ];
    await made.ask(`POST http://127.0.0.1:${port}/x?y HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\nabc`);
    expect(heard).toBe(
      `POST /x?y HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: */*\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`,
    );
  });

  test("with a head that is odd, endless or late is refused", async () => {
    const made = await proxy([]);
    expect(await made.ask("GET http://a.test/ HTTP/1.1\r\nA : b\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await made.ask(get("/status"))).toMatch(/^HTTP\/1\.1 400 .*This is a proxy/s);
    expect(await made.ask(get(`http://a.test/${"a".repeat(40_000)}`))).toMatch(/^HTTP\/1\.1 431 /);
    const impatient = await proxy([], { headTimeoutMs: 300 });
    expect(await impatient.ask("GET http://a.test/ HTTP/1.1\r\n")).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("that expects something, or has a method that is not known, gets an answer and its end", async () => {
    const port = await echoServer();
    const made = await proxy([{ host: "127.0.0.1", port }]);
    const head = `http://127.0.0.1:${port}/x HTTP/1.1\r\nHost: a.test\r\n`;
    expect(await made.ask(`GET ${head}Expect: 200-ok\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await made.ask(`BAN ${head}\r\n`)).toContain("method is not one that this proxy knows");
  });

  test("whose answer breaks off does not seem to have ended", async () => {
    let breakOff: () => void = () => undefined;
    const port = await rawServer((socket) => {
      socket.resume().write("HTTP/1.1 200 OK\r\n\r\nhalf");
      breakOff = () => socket.resetAndDestroy();
    });
    const made = await proxy([{ host: "127.0.0.1", port }]);
    const connection = made.open();
    connection.write(`POST http://127.0.0.1:${port}/ HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n`);
    let heard = "";
    connection.on("data", (bytes: Buffer) => {
      heard += String(bytes);
      if (heard.includes("half")) breakOff();
    });
    await once(connection, "close");
    expect([heard.includes("half"), connection.readableEnded]).toEqual([true, false]);
  });

  test("that goes wrong in the middle of its answer gets no second answer after the first", async () => {
    const port = await rawServer((socket) => socket.resume().write("HTTP/1.1 200 OK\r\n\r\nhalf"));
    const made = await proxy([{ host: "127.0.0.1", port }]);
    const connection = made.open();
    connection.write(`GET http://127.0.0.1:${port}/ HTTP/1.0\r\n\r\n`);
    let heard = "";
    connection.on("data", (bytes: Buffer) => {
      heard += String(bytes);
      if (heard.endsWith("half")) connection.write(get("http://127.0.0.1/second"));
    });
    await once(connection, "close");
    expect([heard, connection.readableEnded]).toEqual([
      "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf",
      false,
    ]);
  });

  test("for a large answer gets all of it, and one that is not read does not fill the memory", async () => {
    const total = 8_000_000;
    let written = 0;
    const port = await rawServer((socket) => {
      const block = Buffer.alloc(50_000);
      const write = (): void => {
        if (written >= total) socket.end();
        else
          socket.write(block, () => {
            written += block.length;
            write();
          });
      };
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n\r\n", write));
    });
    const made = await proxy([{ host: "127.0.0.1", port }]);
    const connection = made.open();
    connection.write(`GET http://127.0.0.1:${port}/ HTTP/1.0\r\n\r\n`);
    await once(connection, "readable");
    // The kernel's buffers and a window are full long before the end, and then the server has to wait.
    const other = await made.ask(get("http://a.test/"));
    expect(other).toMatch(/ 403 /);
    expect(bodyOf(await readAll(connection)).length).toBe(total);
  });
});

describe("a tunnel", () => {
  test("carries both directions to their own ends", async () => {
    const port = await rawServer((socket) => {
      let heard = "";
      socket.write("welcome\n");
      socket.on("data", (bytes: Buffer) => {
        heard += String(bytes);
      });
      socket.on("end", () => socket.end(`heard ${heard}`));
    });
    const made = await proxy([{ host: "127.0.0.1", port }]);
    const connection = await tunnelTo(made, `127.0.0.1:${port}`);
    connection.end("all");
    expect(await readAll(connection)).toBe("welcome\nheard all");
  });

  test("carries TLS when its hello names the host of the tunnel", async () => {
    const { key, cert } = certificate("localhost");
    const server = createTlsServer({ key, cert }, (socket) => socket.end("secret"));
    const port = await listening(server);
    const made = await proxy([{ host: "localhost", port }]);
    const tunnel = await tunnelTo(made, `localhost:${port}`);
    const client = connectTls({ socket: tunnel, servername: "localhost", ca: cert });
    expect(await readAll(client)).toBe("secret");
    expect(made.service.refusals).toEqual([]);
  });

  test("whose TLS hello names another host, or hides which, is ended before the server hears of it", async () => {
    let heard = 0;
    const port = await rawServer((socket) => {
      socket.on("data", (bytes: Buffer) => {
        heard += bytes.length;
      });
    });
    const made = await proxy([{ host: "localhost", port }]);
    const hellos = [
      clientHelloBytes([serverNameExtension("evil.test")]),
      clientHelloBytes([serverNameExtension("evil.test")], 7),
      clientHelloBytes([serverNameExtension("localhost"), { type: 0xfe0d, content: Buffer.alloc(4) }]),
      clientHelloBytes([serverNameExtension("localhost", "evil.test")]),
    ];
    for (const hello of hellos) {
      const tunnel = await tunnelTo(made, `localhost:${port}`);
      for (let at = 0; at < hello.length; at += 50) tunnel.write(hello.subarray(at, at + 50));
      expect(Buffer.from(await readAll(tunnel), "latin1")).toEqual(Buffer.from([21, 3, 3, 0, 2, 2, 112]));
    }
    expect(heard).toBe(0);
    expect(made.service.refusals).toEqual([
      { host: "localhost", port, reason: "tls-name-differs", count: 3 },
      { host: "localhost", port, reason: "not-tls", count: 1 },
    ]);
  });

  test("carries a request for its own host, one and no more, in the name of that host", async () => {
    const port = await echoServer();
    const made = await proxy([{ host: "localhost", port }]);
    const own = `localhost:${port}`;
    for (const [target, host] of [
      ["/a", own],
      ["/a", "LOCALHOST"],
      [`http://${own}/a`, own],
    ]) {
      const tunnel = await tunnelTo(made, own);
      tunnel.end(`POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\nhi`);
      expect(await readAll(tunnel)).toContain(`["POST","/a","${own}","hi"]`);
    }
    const twice = await tunnelTo(made, own);
    twice.write(`${get("/").replace("evil.test", own)}${get("/second")}`);
    expect(await readAll(twice)).not.toContain("second");
    expect(made.service.refusals).toEqual([]);
  });

  test("whose request is for another host at the same address is refused before the server hears of it", async () => {
    let heard = "";
    const port = await rawServer((socket) => {
      socket.on("data", (bytes: Buffer) => {
        heard += String(bytes);
        socket.end();
      });
    });
    const made = await proxy([{ host: "localhost", port }]);
    const own = `Host: localhost:${port}\r\n`;
    const requests = [
      get("/"),
      `GET / HTTP/1.1\r\n${own}Host: evil.test\r\n\r\n`,
      `\r\nGET / HTTP/1.1\r\n${own.replace("localhost", "evil.test")}\r\n`,
      `GET http://evil.test:${port}/ HTTP/1.1\r\n${own}\r\n`,
      `GET / HTTP/1.1\r\nHost: localhost:1\r\n\r\n`,
      `CONNECT evil.test:443 HTTP/1.1\r\n${own}\r\n`,
      `get / http/1.1\nHost: evil.test\n\n`,
      `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
    ];
    const answers: string[] = [];
    for (const request of requests) {
      const tunnel = await tunnelTo(made, `localhost:${port}`);
      tunnel.end(request);
      answers.push((await readAll(tunnel)).slice(9, 12));
    }
    // Anything that is not HTTP/1 as the standard writes it is not passed on either.
    expect(answers).toEqual(["403", "403", "403", "403", "403", "403", "400", "400"]);
    expect(heard).toBe("");
    expect(made.service.refusals).toEqual([
      { host: "localhost", port, reason: "http-host-differs", count: 6 },
    ]);
  });

  test("whose hello never ends is ended", async () => {
    const port = await rawServer((socket) => socket.resume());
    const grants = [{ host: "localhost", port }];
    const late = await longEnough(
      async (headTimeoutMs) => {
        const impatient = await proxy(grants, { headTimeoutMs });
        const tunnel = await tunnelTo(impatient, `localhost:${port}`).catch(() => undefined);
        tunnel?.write(clientHelloBytes([]).subarray(0, 20));
        if (tunnel !== undefined) await readAll(tunnel);
        return { tunnel, refusals: impatient.service.refusals };
      },
      ({ tunnel }) => tunnel !== undefined,
    );
    expect(late.refusals).toEqual([]);
    const made = await proxy(grants);
    const endless = await tunnelTo(made, `localhost:${port}`);
    endless.write(clientHelloBytes([{ type: 99, content: Buffer.alloc(20_000) }]));
    await readAll(endless);
    expect(made.service.refusals).toEqual([{ host: "localhost", port, reason: "not-tls", count: 1 }]);
  });
});

describe("the service", () => {
  test("does not connect for clients that left in the meantime", async () => {
    let asked: () => void = () => undefined;
    const looking = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let answer: (addresses: string[]) => void = () => undefined;
    const resolve = (): Promise<string[]> => {
      asked();
      return new Promise((done) => {
        answer = done;
      });
    };
    const callers: Socket[] = [];
    let called: () => void = () => undefined;
    const call = new Promise<void>((done) => {
      called = done;
    });
    const port = await rawServer((socket) => {
      callers.push(socket);
      called();
    });
    const made = await proxy(
      [
        { host: "api.test", port },
        { host: "127.0.0.1", port },
      ],
      { resolve },
    );
    const connection = made.open();
    connection.write(get(`http://api.test:${port}/`));
    await looking;
    made.service.close();
    await once(connection.resume(), "close");
    answer(["127.0.0.1"]);
    await new Promise(setImmediate);
    // A caller that comes only now is the first one to be heard.
    const later = connect(port, "127.0.0.1");
    await call;
    if (later.connecting) await once(later, "connect");
    expect(callers.map(({ remotePort }) => remotePort)).toEqual([later.localPort]);
    later.destroy();
  });

  test("survives whatever its clients say", async () => {
    const port = await echoServer();
    const word = fc.constantFrom(
      `GET http://127.0.0.1:${port}/ HTTP/1.1\r\n`,
      `POST http://localhost:${port}/ HTTP/1.1\r\n`,
      `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n`,
      "Content-Length: 3\r\n",
      "Transfer-Encoding: chunked\r\n",
      "\r\n",
      "3\r\nabc\r\n",
      "0\r\n\r\n",
      "abc",
      "\u0016\u0003\u0001\u0000\u0005",
      "\0",
    );
    const step = fc.oneof(
      fc.record({ say: word }),
      fc.constant({ say: "\r\n" }),
      fc.constantFrom("end" as const, "destroy" as const, "read" as const, "next" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const made = await proxyClient([{ host: "127.0.0.1", port }]);
        let connection = made.open();
        for (const what of steps) {
          if (what === "next") connection = made.open();
          else if (what === "end") connection.end();
          else if (what === "destroy") connection.destroy();
          else if (what === "read") connection.resume();
          else if (connection.writable) connection.write(what.say, "latin1");
        }
        expect(await made.ask(get(`http://127.0.0.1:${port}/alive`))).toContain("/alive");
        expect(made.service.violation).toBeUndefined();
        made.close();
      }),
      { numRuns: 60 },
    );
  });

  test("ends every connection when it is closed", async () => {
    let gone: () => void = () => undefined;
    const serverSawEnd = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const port = await rawServer((socket) => socket.on("end", () => gone()).resume());
    const made = await proxy([{ host: "127.0.0.1", port }]);
    const tunnel = await tunnelTo(made, `127.0.0.1:${port}`);
    made.service.close();
    await once(tunnel.resume(), "close");
    await serverSawEnd;
  });

  test("lists a hundred refusals at most", async () => {
    const made = await proxy([]);
    for (let index = 0; index < 103; index += 1) await made.ask(get(`http://h${index}.test/`));
    expect(made.service.refusals.length).toBe(100);
  });
});

function certificate(name: string): { readonly key: Buffer; readonly cert: Buffer } {
  const directory = mkdtempSync(join(tmpdir(), "skillet-certificate-"));
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const files = ["-keyout", key, "-out", cert];
  const names = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  try {
    execFileSync("openssl", ["req", "-x509", ...kind, ...files, ...names], { stdio: "pipe" });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
