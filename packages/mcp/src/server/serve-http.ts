import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Skills } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { fieldOf, parseJson, textOf } from "@skillet/kit/json";
import { readBoundedBody } from "@skillet/kit/network";
import { FAULT, faultAnswer, MAX_MESSAGE_BYTES, ProtocolFault } from "../protocol/json-rpc.ts";
import type { Connection } from "./connection.ts";
import { checkRequest, type GuardRules } from "./http-guard.ts";
import { checkHeaders, isModern, openStream, refuse, reply, sendEvent, statusOf } from "./http-messages.ts";
import { createSkillServer, type ServeOptions } from "./skill-server.ts";

/** Where the server listens, and which token it requires. */
export interface HttpOptions extends ServeOptions {
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** At least 32 characters; default: a random token, new at every start. */
  readonly token?: string | undefined;
  /** A client that sends nothing for this long counts as gone; default: 30 minutes. */
  readonly idleMs?: number | undefined;
}

/** A server that runs until it is closed. */
export interface HttpServer {
  readonly url: string;
  /** Every request must send it: `Authorization: Bearer TOKEN`. */
  readonly token: string;
  close(): Promise<void>;
}

const MIN_TOKEN_CHARACTERS = 32;
const MAX_SESSIONS = 256;
const MAX_SOCKETS = 1_024;
const IDLE_MS = 30 * 60 * 1000;
const REQUEST_MS = 30_000;

/** One client: identified by its session id in the older form, by its socket in the newer one. */
interface Client {
  readonly connection: Connection;
  /** Carries messages that answer no request, such as notifications of changes. */
  stream: ServerResponse | undefined;
  heardAtMs: number;
}

/**
 * Serves skills over HTTP, only to this machine and only with the token.
 *
 * @example
 * const { url, token, close } = await serveHttp(await openSkills());
 */
export async function serveHttp(skills: Skills, options: HttpOptions = {}): Promise<HttpServer> {
  const { port = 0, token = randomBytes(32).toString("base64url"), idleMs = IDLE_MS, ...given } = options;
  const weak = `The token has fewer than ${MIN_TOKEN_CHARACTERS} characters; leave it out for a random one.`;
  if (token.length < MIN_TOKEN_CHARACTERS) throw new SkilletError("mcp-token-weak", weak);
  const server = await createSkillServer(skills, given);
  const bySession = new Map<string, Client>();
  const bySocket = new WeakMap<Socket, Client>();
  const hosts = new Set<string>();
  const rules: GuardRules = { token, hosts };

  const addClient = (): Client => {
    const client: Client = {
      connection: server.connect((message) => sendEvent(client.stream, message)),
      stream: undefined,
      heardAtMs: performance.now(),
    };
    return client;
  };
  const end = async ({ connection, stream }: Client): Promise<void> => {
    stream?.end();
    await server.disconnect(connection);
  };
  const onError = given.onError ?? ((error: unknown) => process.emitWarning(String(error)));
  const endSession = (id: string): void => {
    const client = bySession.get(id);
    bySession.delete(id);
    if (client !== undefined) end(client).catch(onError);
  };
  const openSession = (): { readonly id: string; readonly client: Client } => {
    // A killed client sends no farewell; the client that has been silent longest makes room.
    const [oldest] = [...bySession].sort(([, one], [, other]) => one.heardAtMs - other.heardAtMs);
    if (bySession.size >= MAX_SESSIONS && oldest !== undefined) endSession(oldest[0]);
    const id = randomUUID();
    const client = addClient();
    bySession.set(id, client);
    return { id, client };
  };
  const clientOf = (socket: Socket): Client => {
    const known = bySocket.get(socket);
    if (known !== undefined) return known;
    const client = addClient();
    bySocket.set(socket, client);
    socket.once("close", () => void end(client).catch(onError));
    return client;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refusal = checkRequest(request, rules);
    if (refusal !== undefined) return refuse(request, response, refusal.status, refusal.message);
    const id = textOf(request.headers, "mcp-session-id") ?? "";
    const known = bySession.get(id);
    if (known !== undefined) known.heardAtMs = performance.now();
    if (request.method === "DELETE") {
      if (known === undefined) return refuse(request, response, 404, "There is no such session.");
      endSession(id);
      response.writeHead(200).end();
      return;
    }
    if (request.method === "GET") {
      if (known === undefined)
        return refuse(request, response, 405, "There is no such session to listen to.");
      known.stream?.end();
      known.stream = response;
      openStream(response);
      response.once("close", () => {
        if (known.stream === response) known.stream = undefined;
      });
      return;
    }
    await answerPost(request, response, id);
  };

  const answerPost = async (
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
  ): Promise<void> => {
    const known = bySession.get(id);
    const body = await readBoundedBody({ body: request }, { maxBytes: MAX_MESSAGE_BYTES });
    if (body === undefined) return refuse(request, response, 413, `At most ${MAX_MESSAGE_BYTES} bytes.`);
    const message = parseJson(body);
    if (message === undefined)
      return reply(response, faultAnswer(null, new ProtocolFault(FAULT.parse, "The body is not JSON.")), 400);
    if (isModern(message)) return answerModern(request, response, message);
    if (fieldOf(message, "method") === "initialize" && known === undefined) {
      const opened = openSession();
      const answer = await opened.client.connection.handle(message);
      return reply(response, answer, 200, { "mcp-session-id": opened.id });
    }
    if (known === undefined)
      return refuse(request, response, id === "" ? 400 : 404, "There is no such session; initialize one.");
    reply(response, await known.connection.handle(message));
  };

  const answerModern = async (
    request: IncomingMessage,
    response: ServerResponse,
    message: unknown,
  ): Promise<void> => {
    const mismatch = checkHeaders(request, message);
    if (mismatch !== undefined) return reply(response, mismatch, 400);
    if (fieldOf(message, "method") !== "subscriptions/listen") {
      const { connection } = clientOf(request.socket);
      const answer = await connection.handle(message);
      return reply(response, answer, statusOf(answer));
    }
    // A stream is a client of its own, which ends with the response.
    const client = addClient();
    client.stream = response;
    response.once("close", () => void end(client).catch(onError));
    const fault = await client.connection.handle(message);
    if (fault !== undefined) reply(response, fault);
  };

  const http = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS / 3 },
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        // A client that disconnects in the middle is not our fault.
        if (request.destroyed && !request.complete) return;
        onError(error);
        if (!response.headersSent) refuse(request, response, 500, "The request could not be carried out.");
      });
    },
  );
  http.maxConnections = MAX_SOCKETS;
  // In the newer form the socket is the session, so an idle one is kept for a while.
  http.keepAliveTimeout = 120_000;
  const sweep = setInterval(
    () => {
      for (const [id, { heardAtMs, stream }] of bySession)
        if (stream === undefined && performance.now() - heardAtMs > idleMs) endSession(id);
    },
    Math.min(idleMs, 60_000),
  ).unref();
  http.listen(port, "127.0.0.1");
  await once(http, "listening").catch((cause: unknown) => {
    const message = `Port ${port} cannot be listened on; pass another one.`;
    throw new SkilletError("mcp-port-unavailable", message, { data: { port }, cause });
  });
  const { port: bound } = http.address() as AddressInfo;
  for (const name of ["127.0.0.1", "localhost", "[::1]"]) hosts.add(`${name}:${bound}`);
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    token,
    close: async () => {
      clearInterval(sweep);
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
      await server.close();
    },
  };
}
