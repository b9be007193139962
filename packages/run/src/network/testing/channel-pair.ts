import { connect, createServer, type Socket } from "node:net";

/** Both ends of a real channel, like the spawner's: bytes in both directions, buffered by the kernel. */
export async function channelPair(): Promise<readonly [Socket, Socket]> {
  // No delays, since a channel between processes has none either.
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  const port = await listen(server);
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const opened = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
  const other = await accepted;
  server.close();
  return [opened, other];
}

export function listen(server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
}
