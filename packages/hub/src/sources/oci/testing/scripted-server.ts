import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** The response of a test server. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** A request that the server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** A server on loopback that answers as told and records every request, until the running test ends. */
export async function scriptedServer(
  answer: (request: ReceivedRequest) => ScriptedAnswer,
): Promise<{ readonly host: string; readonly url: string; readonly received: readonly ReceivedRequest[] }> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const whole = { method, path, headers, body: Buffer.concat(chunks) };
      received.push(whole);
      const { status = 200, headers: extra = {}, body = "" } = answer(whole);
      const bytes = Buffer.from(body as string);
      response.writeHead(status, { "content-length": String(bytes.length), ...extra });
      response.end(method === "HEAD" ? undefined : bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}`, received };
}
