import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Served {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly host: string;
  readonly port: number;
}

/** Serves HTTP on a free port of this machine until the test ends. */
export async function serve(listener: RequestListener, address?: string): Promise<Served> {
  return listen(createServer(listener), address);
}

/** Serves the paths of a map, and 404 for everything else; records the requested paths. */
export async function serveFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  address?: string,
): Promise<Served & { readonly asked: string[] }> {
  const asked: string[] = [];
  const served = await serve((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const body = Object.hasOwn(files, path) ? files[path] : undefined;
    if (body === undefined) response.writeHead(404, { "content-length": 0 }).end();
    else response.writeHead(200, { "content-length": Buffer.byteLength(body) }).end(body);
  }, address);
  return { ...served, asked };
}

/** Serves whatever the handler writes to the raw connection. */
export async function serveSocket(handler: (socket: Socket) => void): Promise<Served> {
  return listen(
    createSocketServer((socket) => {
      // The client hangs up as soon as it has seen enough.
      socket.on("error", () => socket.destroy());
      socket.once("data", () => handler(socket));
    }),
  );
}

async function listen(
  server: Server | ReturnType<typeof createSocketServer>,
  address = "127.0.0.1",
): Promise<Served> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, address, resolve);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const host = address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  return { origin: `http://${host}`, host, port };
}
