import {
  createServer,
  type IncomingMessage,
  request as requestUpstream,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { errorCode } from "@skillet/kit/errors";
import { connectTarget, type ProxyContext } from "./connect-target.ts";
import {
  absoluteTarget,
  answeredHeaders,
  checkRequestLine,
  connectAuthority,
  forwardedHeaders,
  type HostAndPort,
  HTTPS_PORT,
  invalidRequest,
  ProxyFault,
  tunnelledTarget,
} from "./proxy-request.ts";
import { judgeTunnelEnd, judgeTunnelStart, type TunnelStart } from "./tunnel-start.ts";

const MAX_HEAD_BYTES = 32 * 1024;
// TLS alert: fatal, unrecognized_name. A client in a tunnel understands nothing else.
const TLS_ALERT = Uint8Array.of(21, 3, 3, 0, 2, 2, 112);

interface OpenTunnel extends HostAndPort {
  readonly upstream: Socket;
}

/**
 * Serves one connection to the proxy: one request or tunnel. Node's own server reads requests, which are then
 * rewritten, so no host receives anything that two readers could interpret differently.
 */
export function serveClient(client: Duplex, context: ProxyContext, tunnel?: OpenTunnel): void {
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false });
  // A client that has sent its whole request may close its side and still read the answer.
  Object.assign(server, { httpAllowHalfOpen: true, maxHeadersCount: 0 });
  let isServing = false;
  let isAnswering = (tunnel?.upstream.bytesRead ?? 0) > 0;
  let isDone = false;
  let giveUp = (): unknown => tunnel?.upstream.destroy();

  const fail = (error: unknown): void => {
    if (isDone) return;
    isDone = true;
    giveUp();
    // In the middle of an answer, an error response would be read as part of it.
    if (error instanceof ProxyFault && !isAnswering && client.writable) client.end(answerOf(error));
    else client.destroy();
    // Connections usually end with a broken stream; any other error is a bug of ours.
    if (!(error instanceof ProxyFault) && errorCode(error) === undefined) context.onFailure(error);
  };
  const tooLate = (): void => fail(new ProxyFault(408, "The request took too long."));
  const timer = setTimeout(tooLate, context.headTimeoutMs);
  const destroy = (): unknown => client.destroy();
  client.once("finish", destroy);
  client.once("close", () => clearTimeout(timer));

  const claim = (request: IncomingMessage): void => {
    clearTimeout(timer);
    // A second request would go to the first one's host, whatever host it names.
    if (isServing) throw new ProxyFault(400, "Only one request can be made on each connection.");
    isServing = true;
    checkRequestLine(request);
  };

  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    claim(request);
    const target =
      tunnel === undefined
        ? absoluteTarget(request.url ?? "")
        : tunnelledTarget(request, tunnel, context.refusals);
    const headers = forwardedHeaders(request, target);
    const socket = tunnel?.upstream ?? (await connectTarget(client, target, context));
    const upstream = requestUpstream({
      method: request.method,
      path: target.path,
      headers,
      maxHeaderSize: 2 * MAX_HEAD_BYTES,
      createConnection: () => socket,
    });
    giveUp = () => upstream.destroy();
    // Removing a tunnel's pipe paused its socket.
    upstream.once("socket", () => socket.resume());
    upstream.on("error", (error) => fail(noAnswer(error)));
    upstream.on("close", () => isAnswering || fail(noAnswer()));
    upstream.on("response", (answer) => {
      response.shouldKeepAlive = false;
      response.sendDate = false;
      try {
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answeredHeaders(answer));
      } catch (error) {
        return fail(noAnswer(error));
      }
      isAnswering = true;
      pipeline(answer, response, (error) => {
        if (error) return fail(error);
        // The answer may be complete before the request body is; it ends the body.
        isDone = true;
        upstream.destroy();
      });
    });
    request.pipe(upstream);
  };

  const connect = async (request: IncomingMessage, head: Buffer): Promise<void> => {
    claim(request);
    if (tunnel !== undefined) tunnelledTarget(request, tunnel, context.refusals);
    const target = connectAuthority(request.url ?? "");
    const upstream = await connectTarget(client, target, context);
    client.off("finish", destroy);
    if (head.length > 0) client.unshift(head);
    await openTunnel(client, { ...target, upstream }, context);
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    void forward(request, response).catch(fail);
  // Otherwise Node itself answers an unknown `Expect`, and keeps the connection open.
  server.on("request", onRequest).on("checkExpectation", onRequest);
  server.on("connect", (request: IncomingMessage, _client: Duplex, head: Buffer) => {
    connect(request, head).catch(fail);
  });
  server.on("clientError", (error: NodeJS.ErrnoException) => {
    if (error.code === "HPE_HEADER_OVERFLOW")
      fail(new ProxyFault(431, `The head of the request has more than ${MAX_HEAD_BYTES} bytes.`));
    else if (error.code === "HPE_INVALID_METHOD")
      fail(new ProxyFault(400, "The request's method is not one that this proxy knows."));
    else fail(error.code?.startsWith("HPE_") ? invalidRequest() : error);
  });
  server.emit("connection", client);
}

function noAnswer(error?: unknown): ProxyFault {
  const code = errorCode(error);
  return new ProxyFault(502, `The host gave no valid answer${code === undefined ? "" : ` (${code})`}.`);
}

async function openTunnel(client: Duplex, tunnel: OpenTunnel, context: ProxyContext): Promise<void> {
  const { upstream, host, port } = tunnel;
  upstream.on("error", () => client.destroy());
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  // If TLS is not required, the server may speak first.
  upstream.pipe(client);
  const { kind, read } = await readStart(client, tunnel, context.headTimeoutMs);
  if (kind === "anything") {
    if (read.length > 0) upstream.write(read);
    client.pipe(upstream);
    return;
  }
  upstream.unpipe(client);
  if (kind === "http") {
    serveClient(client, context, tunnel);
    return;
  }
  upstream.destroy();
  if (kind !== "late") context.refusals.add({ host, port, reason: kind });
  client.end(TLS_ALERT, () => client.destroy());
}

function readStart(
  client: Duplex,
  target: HostAndPort,
  timeoutMs: number,
): Promise<{ readonly kind: TunnelStart | "late"; readonly read: Buffer }> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0);
    let pieces = 0;
    let timer: NodeJS.Timeout | undefined;
    const settle = (kind: TunnelStart | "late"): void => {
      clearTimeout(timer);
      client.off("readable", look).off("end", end).off("close", end);
      // Synchronously: after its end event a stream accepts nothing back.
      if (kind === "http") client.unshift(read);
      resolve({ kind, read });
    };
    const startTimer = (): void => {
      timer ??= setTimeout(() => settle("late"), timeoutMs);
    };
    const look = (): void => {
      const piece: Buffer | null = client.read();
      if (piece === null) return;
      startTimer();
      pieces += 1;
      read = Buffer.concat([read, piece]);
      const kind = judgeTunnelStart(read, target, pieces);
      if (kind !== "incomplete") settle(kind);
    };
    const end = (): void => settle(judgeTunnelEnd(read, target));
    // On other ports a client may wait for the server as long as it likes.
    if (target.port === HTTPS_PORT) startTimer();
    client.on("readable", look).on("end", end).on("close", end);
  });
}

function answerOf({ status, message }: ProxyFault): Buffer {
  const body = Buffer.from(`Skillet: ${message}\n`);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}
