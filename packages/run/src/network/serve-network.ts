import { lookup } from "node:dns/promises";
import type { Duplex } from "node:stream";
import { Turns } from "../turns.ts";
import { FRAMING, MULTIPLEX_LIMITS } from "./frames.ts";
import { multiplex } from "./multiplex.ts";
import type { NetworkGrant, ResolveHost } from "./network-grant.ts";
import { type NetworkRefusal, RefusalList } from "./network-refusal.ts";
import { serveConnection } from "./serve-connection.ts";

export interface NetworkService {
  /** What was asked for and denied, for the record: each once with its count, at most a hundred. */
  readonly refusals: readonly NetworkRefusal[];
  /** What the sandbox's side did wrong, when that is why the channel was closed. */
  readonly violation: string | undefined;
  close(): void;
}

export interface ServeNetworkOptions {
  readonly resolve?: ResolveHost;
  readonly connectTimeoutMs?: number;
  readonly headTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
const HEAD_TIMEOUT_MS = 15_000;

/** Serves the bridge at the other end of a channel: an HTTP proxy that lets through what is granted, and nothing else. */
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
    connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    headTimeoutMs: options.headTimeoutMs ?? HEAD_TIMEOUT_MS,
  };
  const multiplexer = multiplex(channel, {
    limits: MULTIPLEX_LIMITS,
    parts: FRAMING,
    onConnection: (connection) => {
      // Each failure also reaches whoever waits for the stream; without a listener it would end this process.
      connection.on("error", () => connection.destroy());
      serveConnection(connection, context).catch((error: unknown) => {
        connection.destroy();
        // Streams that break are the everyday end of a connection; anything else is a fault of ours, and closes all.
        if (error instanceof Error && "code" in error) return;
        violation ??= `the proxy failed: ${String(error)}`;
        multiplexer.close();
      });
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

// Each look-up holds one of the few threads on which this process also reads its files, for as long as a name server
// likes to take.
const MAX_LOOKUPS = 2;
// More than one run can have connections.
const MAX_WAITING = 128;

/**
 * Looks each name up once at a time, for all who ask meanwhile, and few names at once. Nothing is kept beyond that: a
 * name leads where it leads when it is asked for, and the addresses are checked each time.
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
