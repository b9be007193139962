import type { Duplex, Writable } from "node:stream";
import { bodyFraming } from "./body-framing.ts";
import { ByteSource } from "./byte-source.ts";
import { checkTunnelStart, HTTPS_PORT } from "./check-tunnel-start.ts";
import { connectTarget } from "./connect-target.ts";
import { forwardedHead } from "./forwarded-head.ts";
import type { ProxyContext } from "./proxy-context.ts";
import { ProxyFault } from "./proxy-fault.ts";
import { readRequestHead } from "./read-request-head.ts";
import type { RequestHead } from "./request-head.ts";
import { type RequestTarget, requestTarget } from "./request-target.ts";
import { sendBody } from "./send-body.ts";
import { endStream, relay, writeBytes } from "./write-bytes.ts";

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
    else await forward({ client, source, head, target: { ...target, path: target.path }, context });
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
  try {
    await writeBytes(client, Buffer.from("HTTP/1.1 200 Connection established\r\n\r\n"));
    await Promise.all([
      sendTunnel(source, socket, { target, context }),
      relay(new ByteSource(socket), client),
    ]);
  } catch (error) {
    if (!(error instanceof ProxyFault)) throw error;
    if (!client.writableEnded) await writeBytes(client, TLS_ALERT);
  } finally {
    socket.destroy();
  }
}

async function sendTunnel(
  source: ByteSource,
  socket: Writable,
  { target, context }: Pick<Connection, "target" | "context">,
): Promise<void> {
  // Where TLS is not required, the server may be the one that speaks first, and the client may wait as long as it likes.
  if (target.port !== HTTPS_PORT) source.unread((await source.next()) ?? Buffer.alloc(0));
  await within(context.headTimeoutMs, checkTunnelStart(source, target, context));
  await relay(source, socket);
}

async function forward({
  client,
  source,
  head,
  target,
  context,
}: Connection & {
  readonly head: RequestHead;
  readonly target: { readonly path: string };
}): Promise<void> {
  const framing = bodyFraming(head);
  if (framing === undefined)
    throw new ProxyFault(400, "Content-Length and Transfer-Encoding leave it open where the body ends.");
  const socket = await connectTarget(client, target, context);
  const answer = new ByteSource(socket);
  try {
    await writeBytes(socket, forwardedHead(head, { ...target, framing }));
    const up = sendBody(source, socket, framing).then(() => expectEnd(source));
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

/** One request a connection: a second one would go to the first one's host, whatever it asks for. */
async function expectEnd(source: ByteSource): Promise<void> {
  if ((await source.next()) !== undefined)
    throw new ProxyFault(400, "Only one request can be made on each connection.");
}

function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ProxyFault(408, "The request did not come to its point in time.")),
      timeoutMs,
    );
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
