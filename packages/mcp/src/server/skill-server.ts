import type { CatalogBudget, SessionOptions, Skills } from "@skillet/core";
import { showName } from "@skillet/kit/text";
import { Connection, type ConnectionParts } from "./connection.ts";
import { ServedSkills } from "./served-skills.ts";
import { createSkillCalls } from "./skill-calls.ts";

/** How skills are served. */
export interface ServeOptions {
  /** How each connection's session is opened. It cannot ask: a call that needs a question is refused. */
  readonly session?: Omit<SessionOptions, "ask" | "interactive" | "signal"> | undefined;
  /** For the catalogue in the server's instructions; default: 8,000 characters. */
  readonly budget?: CatalogBudget | undefined;
  readonly version?: string | undefined;
  /** Whether to watch files and tell clients of changes; default: true. */
  readonly watch?: boolean | undefined;
  /** Told in one line what a client does not get, and why; default: nothing is said. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** Gets faults of the machine and configuration, which clients do not see; default: a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Serves one workspace to any number of connections. */
export interface SkillServer {
  connect(send: (message: object) => void): Connection;
  /** Ends a connection and aborts its requests under way. */
  disconnect(connection: Connection): Promise<void>;
  close(): Promise<void>;
}

/** How long lists may be kept; hardly at all while files are changing. */
const SETTLED_TTL_MS = 60_000;
const CHANGING_TTL_MS = 1_000;
const UNWATCHED_TTL_MS = 5_000;
const CHANGING_FOR_MS = 30_000;
const MAX_TOLD = 1_000;

export async function createSkillServer(skills: Skills, options: ServeOptions = {}): Promise<SkillServer> {
  const { version = "0.0.0", watch: isWatching = true, budget } = options;
  const onError = options.onError ?? ((error) => process.emitWarning(String(error)));
  const connections = new Set<Connection>();
  let changedAtMs = Number.NEGATIVE_INFINITY;
  const told = new Set<string>();
  const onProblem = (skill: string, problem: string): void => {
    const notice = `${showName(skill)} is offered by tool and prompt only: ${problem}.`;
    // A client that lists every second must not fill the log.
    if (told.size < MAX_TOLD && !told.has(notice)) options.onNotice?.(notice);
    told.add(notice);
  };
  const parts: ConnectionParts = {
    served: new ServedSkills(skills, onProblem),
    serverInfo: { name: "skillet", title: "Skillet", version },
    onFault: onError,
    open: async (host) => {
      const session = await skills.session({ ...options.session, interactive: false });
      try {
        return { session, calls: await createSkillCalls(session, { budget, host, onFault: onError }) };
      } catch (error) {
        await session.close();
        throw error;
      }
    },
    ttlMs: () => {
      if (!isWatching) return UNWATCHED_TTL_MS;
      return performance.now() - changedAtMs < CHANGING_FOR_MS ? CHANGING_TTL_MS : SETTLED_TTL_MS;
    },
  };
  let [isStale, isRefreshing] = [false, false];
  const refreshAll = async (): Promise<void> => {
    changedAtMs = performance.now();
    isStale = true;
    // Files may change faster than a busy machine picks them up: refreshes must not queue up in sessions.
    if (isRefreshing) return;
    isRefreshing = true;
    try {
      while (isStale) {
        isStale = false;
        // In parallel: they share one reload.
        await Promise.all(Array.from(connections, (connection) => connection.refresh().catch(onError)));
        // After all of them: a client may listen on one connection and ask on another.
        for (const connection of connections) connection.tell();
      }
    } finally {
      isRefreshing = false;
    }
  };
  const watch = isWatching ? skills.watch(refreshAll, { onError }) : undefined;
  // The first client must not wait for scan verdicts and the index.
  await skills.warm();
  return {
    connect: (send) => {
      const connection = new Connection(parts, send);
      connections.add(connection);
      return connection;
    },
    disconnect: async (connection) => {
      connections.delete(connection);
      await connection.close();
    },
    close: async () => {
      watch?.close();
      await Promise.all(Array.from(connections, (connection) => connection.close()));
      connections.clear();
    },
  };
}
