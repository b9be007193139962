import type { Duplex, Writable } from "node:stream";
import { ByteSource, endStream, relay, sendBody, writeBytes } from "./byte-source.ts";
import { checkTunnelStart, HTTPS_PORT } from "./check-tunnel-start.ts";
import { connectTarget, type ProxyContext } from "./connect-target.ts";
import {
  type BodyFraming,
  bodyFraming,
  forwardedHead,
  ProxyFault,
  type RequestHead,
  type RequestTarget,
  readRequestHead,
  readTunnelledRequest,
  requestTarget,
} from "./proxy-request.ts";

const REASONS = new Map([
  [400, "Bad Request"],
  [403, "Forbidden"],
  [408, "Request Timeout"],
  [431, "Request Header Fields Too Large"],
  [502, "Bad Gateway"],
]);

// TLS: fatal, unrecognized_name. It is all that a client in a tunnel understands.
const TLS_ALERT = Uint8Array.of(21, 3, 3, 0, 2, 2, 112);

/** Serves one connection to the proxy: one request or one tunnel, and then its end. Rejects when a stream breaks. */
export async function serveConnection(client: Duplex, context: ProxyContext): Promise<void> {
  const source = new ByteSource(client);
  try {
    const head = await within(context.headTimeoutMs, readRequestHead(source));
    if (head === undefined) return;
    const target = requestTarget(head);
    if (target.path === undefined) await tunnel({ client, source, target, context });
    else await forward({ client, source, target, context }, head, { ...target, path: target.path });
  } catch (error) {
    if (!(error instanceof ProxyFault)) throw error;
    if (client.destroyed) return;
    await writeBytes(client, answerOf(error));
  }
  await endStream(client);
  client.destroy();
}

interface Connection {
  readonly client: Duplex;
  readonly source: ByteSource;
  readonly target: RequestTarget;
  readonly context: ProxyContext;
}

async function tunnel({ client, source, target, context }: Connection): Promise<void> {
  const socket = await connectTarget(client, target, context);
  const answer = new ByteSource(socket);
  let isHttp = false as boolean;
  try {
    await writeBytes(client, Buffer.from("HTTP/1.1 200 Connection established\r\n\r\n"));
    const down = relay(answer, client);
    const up = async (): Promise<void> => {
      // Where TLS is not required, the server may be the one that speaks first, and the client may wait as it likes.
      if (target.port !== HTTPS_PORT) source.unread((await source.next()) ?? Buffer.alloc(0));
      isHttp = (await within(context.headTimeoutMs, checkTunnelStart(source, target, context))) === "http";
      if (!isHttp) return relay(source, socket);
      // As outside a tunnel: the first request says for whom it is, and a second one could say something else.
      const request = readTunnelledRequest(source, target, context);
      const { head, path } = await within(context.headTimeoutMs, request);
      await Promise.race([sendRequest(source, socket, head, { ...target, path }), down]);
    };
    await Promise.all([up(), down]);
  } catch (error) {
    if (!(error instanceof ProxyFault)) throw error;
    if (isHttp && answer.started) client.destroy();
    else if (!client.writableEnded) await writeBytes(client, isHttp ? answerOf(error) : TLS_ALERT);
  } finally {
    socket.destroy();
  }
}

async function forward(
  { client, source, context }: Connection,
  head: RequestHead,
  target: RequestTarget & { readonly path: string },
): Promise<void> {
  framingOf(head);
  const socket = await connectTarget(client, target, context);
  const answer = new ByteSource(socket);
  try {
    const up = sendRequest(source, socket, head, target);
    const failed = new Promise<never>((_resolve, reject) => up.catch(reject));
    // The answer may come before the body is through, and ends it.
    await Promise.race([relay(answer, client), failed]);
  } catch (error) {
    // In the middle of an answer, another one would read as part of it.
    if (answer.started) client.destroy();
    throw error;
  } finally {
    socket.destroy();
  }
}

async function sendRequest(
  source: ByteSource,
  socket: Writable,
  head: RequestHead,
  target: RequestTarget & { readonly path: string },
): Promise<void> {
  const framing = framingOf(head);
  await writeBytes(socket, forwardedHead(head, { ...target, framing }));
  await sendBody(source, socket, framing);
  // One request a connection: a second one would go to the first one's host, whatever it asks for.
  if ((await source.next()) !== undefined)
    throw new ProxyFault(400, "Only one request can be made on each connection.");
}

function framingOf(head: RequestHead): BodyFraming {
  const framing = bodyFraming(head);
  if (framing !== undefined) return framing;
  throw new ProxyFault(400, "Content-Length and Transfer-Encoding leave it open where the body ends.");
}

function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new ProxyFault(408, "The request took too long.")), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function answerOf({ status, message }: ProxyFault): Buffer {
  const body = Buffer.from(`Skillet: ${message}\n`);
  const head = [
    `HTTP/1.1 ${status} ${REASONS.get(status) ?? "Error"}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}
