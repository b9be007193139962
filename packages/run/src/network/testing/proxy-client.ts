import { once } from "node:events";
import type { Duplex } from "node:stream";
import { FRAMING, MULTIPLEX_LIMITS } from "../frames.ts";
import { type Multiplexer, multiplex } from "../multiplex.ts";
import type { NetworkGrant } from "../network-grant.ts";
import { type NetworkService, type ServeNetworkOptions, serveNetwork } from "../serve-network.ts";
import { channelPair } from "./channel-pair.ts";

/** A proxy under test, and the sandbox's side of its channel. */
export interface ProxyClient {
  readonly service: NetworkService;
  readonly multiplexer: Multiplexer;
  open(): Duplex;
  /** Sends text on a new connection, and returns everything that comes back. */
  ask(text: string | Buffer): Promise<string>;
  close(): void;
}

export async function proxyClient(
  grants: readonly NetworkGrant[],
  options: ServeNetworkOptions = {},
): Promise<ProxyClient> {
  const [inner, outer] = await channelPair();
  const service = serveNetwork(outer, grants, options);
  const multiplexer = multiplex(inner, {
    limits: MULTIPLEX_LIMITS,
    parts: FRAMING,
    onEnd: () => undefined,
  });
  const open = (): Duplex => {
    const connection = multiplexer.open();
    if (connection === undefined) throw new Error("the channel has no more connections");
    return connection;
  };
  return {
    service,
    multiplexer,
    open,
    ask: async (text) => {
      const connection = open();
      connection.write(text);
      return readAll(connection);
    },
    close: () => {
      service.close();
      multiplexer.close();
    },
  };
}

/** Reads up to the end of the connection, or until it breaks. */
export async function readAll(connection: Duplex): Promise<string> {
  let text = "";
  connection.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  await Promise.race([once(connection, "end"), once(connection, "close")]);
  return text;
}
