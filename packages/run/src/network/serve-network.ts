import { lookup } from "node:dns/promises";
import type { Duplex } from "node:stream";
import { Turns } from "../turns.ts";
import { FRAMING, MULTIPLEX_LIMITS } from "./frames.ts";
import { multiplex } from "./multiplex.ts";
import type { NetworkGrant, ResolveHost } from "./network-grant.ts";
import { type NetworkRefusal, RefusalList } from "./network-refusal.ts";
import { serveClient } from "./serve-client.ts";

export interface NetworkService {
  readonly refusals: readonly NetworkRefusal[];
  /** Why the channel was closed, if the sandbox's side broke the protocol or the proxy itself failed. */
  readonly violation: string | undefined;
  close(): void;
}

export interface ServeNetworkOptions {
  readonly resolve?: ResolveHost;
  readonly headTimeoutMs?: number;
}

const HEAD_TIMEOUT_MS = 15_000;

/** Serves the bridge at the other end of a channel: an HTTP proxy that allows only what is granted. */
export function serveNetwork(
  channel: Duplex,
  grants: readonly NetworkGrant[],
  options: ServeNetworkOptions = {},
): NetworkService {
  const refusals = new RefusalList();
  let violation: string | undefined;
  const context = {
    grants,
    refusals,
    resolve: sharedLookups(options.resolve ?? resolveHost),
    headTimeoutMs: options.headTimeoutMs ?? HEAD_TIMEOUT_MS,
    onFailure: (error: unknown) => {
      violation ??= `the proxy failed: ${String(error)}`;
      multiplexer.close();
    },
  };
  const multiplexer = multiplex(channel, {
    limits: MULTIPLEX_LIMITS,
    parts: FRAMING,
    onConnection: (connection) => {
      // Without a listener, a broken stream would crash this process.
      connection.on("error", () => connection.destroy());
      serveClient(connection, context);
    },
    onEnd: (reason) => {
      violation ??= reason;
    },
  });
  return {
    get refusals() {
      return refusals.entries;
    },
    get violation() {
      return violation;
    },
    close: () => multiplexer.close(),
  };
}

async function resolveHost(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

// A look-up blocks one of the few threads with which this process also reads files, for as long as the name
// server takes.
const MAX_LOOKUPS = 2;
// Several runs can have connections at once.
const MAX_WAITING = 128;

/**
 * Limits concurrent look-ups, and shares a running one with every caller that asks for the same name. Answers
 * are not cached: the addresses of a name may change, and are checked each time.
 */
export function sharedLookups(resolve: ResolveHost): ResolveHost {
  const running = new Map<string, Promise<readonly string[]>>();
  const turns = new Turns<string>((_, ahead) => ahead.length >= MAX_LOOKUPS, MAX_WAITING);
  const start = async (host: string): Promise<readonly string[]> => {
    const release = await turns.take(host);
    if (typeof release === "string")
      throw Object.assign(new Error("Too many names are looked up at once."), { code: "EAGAIN" });
    try {
      return await resolve(host);
    } finally {
      release();
    }
  };
  return (host) => {
    const known = running.get(host);
    if (known !== undefined) return known;
    const answer = start(host).finally(() => running.delete(host));
    running.set(host, answer);
    return answer;
  };
}
