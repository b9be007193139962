import { once } from "node:events";
import { existsSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { homedir } from "node:os";
import { Readable } from "node:stream";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { parseJson, textOf } from "@skillet/kit/json";
import { readBoundedBody } from "@skillet/kit/network";
import { readDocument, type Schema } from "@skillet/kit/schema";
import { plainText, sandboxUnavailable } from "../probe-sandbox.ts";

/** One engine. Its answers are bounded in size and time; any fault of it throws `sandbox-unavailable`. */
export interface Engine {
  readonly socketPath: string;
  /** The prefix of every path, such as `/v1.43`. */
  readonly version: string;
}

/** Finds the engine by its address, `DOCKER_HOST` or the first existing socket; reads variables only now. */
export function findEngine(given: string | undefined): Engine {
  const { DOCKER_HOST, XDG_RUNTIME_DIR = "/run" } = process.env;
  const docker = ["/var/run", XDG_RUNTIME_DIR, `${homedir()}/.docker/run`].map(
    (path) => `${path}/docker.sock`,
  );
  const known = [...docker, `${XDG_RUNTIME_DIR}/podman/podman.sock`, "/run/podman/podman.sock"];
  const host = given ?? (DOCKER_HOST || `unix://${known.find((path) => existsSync(path)) ?? known[0]}`);
  const [, socketPath] = /^unix:\/\/(\/[^\0]+)$/.exec(host) ?? [];
  if (socketPath !== undefined) return { socketPath, version: "" };
  const why = "over TCP it could be another machine, which does not have your folders; use unix:///path";
  throw new SkilletError("invalid-docker-option", `Scripts cannot be run by the engine at ${host}: ${why}.`);
}

type OnOutput = (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
type Details = { readonly fix?: string; readonly status?: number };
interface EngineCall {
  readonly json?: object;
  readonly archive?: { readonly bytes: number; readonly chunks: AsyncIterable<Uint8Array> };
  /** Statuses that are not errors, in addition to those of success. */
  readonly allowed?: readonly number[];
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal | undefined;
}

// Image descriptions and lists of leftovers are far smaller.
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const ANSWER_MS = 30_000;
const NOT_THERE = "no Docker engine is listening; start Docker or Podman, or set DOCKER_HOST to its socket";
const NOT_ALLOWED = "you may not use its socket; join the socket's group, or run the engine rootless";

/** Sends a request, such as `POST /containers/create?name=x`. */
export async function askEngine(
  engine: Engine,
  ask: string,
  { json, archive, allowed = [], deadlineMs = ANSWER_MS, signal }: EngineCall = {},
): Promise<IncomingMessage & { readonly body: Buffer }> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  const content = json && Buffer.from(JSON.stringify(json));
  const [method, path] = ask.split(" ");
  const headers = {
    Host: "docker",
    ...(ask.includes("/attach?") && { Connection: "Upgrade", Upgrade: "tcp" }),
    ...(content && { "Content-Type": "application/json", "Content-Length": content.length }),
    ...(archive && { "Content-Type": "application/x-tar", "Content-Length": archive.bytes }),
  };
  const sent = request({
    socketPath: engine.socketPath,
    method,
    path: `${engine.version}${path}`,
    headers,
    // One connection per request: streams take theirs over, and none is kept open between runs.
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal: AbortSignal.any([deadline.signal, ...(signal ? [signal] : [])]),
  });
  // Before the answer, whoever awaits it gets the error; after that, the answer breaks off.
  sent.on("error", () => undefined);
  if (archive === undefined) sent.end(content);
  else
    Readable.from(archive.chunks)
      .on("error", (error) => sent.destroy(error))
      .pipe(sent);
  try {
    const [answer, , head] = await Promise.race([once(sent, "response"), once(sent, "upgrade")]);
    if (head !== undefined) answer.socket.unshift(head);
    const { statusCode: status } = answer;
    const body = await readBoundedBody({ body: head ? null : answer }, { maxBytes: MAX_ANSWER_BYTES });
    if (body === undefined) throw unavailable(engine, `its answer to ${ask} is too long`);
    if ((status >= 200 && status < 300) || allowed.includes(status)) return Object.assign(answer, { body });
    const said = plainText(textOf(parseJson(body), "message") ?? "");
    throw unavailable(engine, `it answered "${said}" (${status})`, { status });
  } catch (error) {
    const code = errorCode(error);
    if (SkilletError.isInstance(error) || code === undefined) throw error;
    const late = deadline.signal.aborted && `it gave no answer within ${deadlineMs / 1000} seconds`;
    const why = code === "ENOENT" || code === "ECONNREFUSED" ? NOT_THERE : code === "EACCES" && NOT_ALLOWED;
    throw unavailable(engine, late || why || `the connection failed (${code})`);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a document from the engine; null counts as absent. */
export async function readEngine<Value>(engine: Engine, ask: string, schema: Schema<Value>): Promise<Value> {
  const { body } = await askEngine(engine, ask);
  const { value, faults } = readDocument(schema, parseJson(body) ?? "nothing", { format: "yaml" });
  if (value !== undefined && faults.length === 0) return value;
  throw unavailable(engine, `its answer to ${ask} is invalid: ${faults[0]?.message}`);
}

/** `status`: only if the engine itself refused. */
export function unavailable({ socketPath }: Engine, reason: string, more: Details = {}): SkilletError {
  const what = `The engine at ${socketPath} cannot run scripts`;
  return sandboxUnavailable(what, { reason, ...more }, { backend: "docker" });
}

const HEADER_BYTES = 8;
// Keyed by the header's first four bytes: the kind, then three zeros.
const STREAMS = new Map([0, 1, 2].map((kind) => [kind * 2 ** 24, kind === 2 ? "stderr" : "stdout"] as const));

/**
 * Separates a container's two outputs until they end in order (`whole`) or not (`cut`); throws errors of
 * `onOutput`. Holds back nothing but a header, however long a frame claims to be.
 */
export async function readOutput(socket: Readable, onOutput: OnOutput): Promise<"whole" | "cut"> {
  let [held, left, kind] = [Buffer.alloc(0), 0, 0];
  const chunks: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]();
  // Errors from sending to a script that no longer reads.
  socket.on("error", () => undefined);
  for (;;) {
    // A broken connection counts as cut too.
    const { value: chunk, done } = await chunks.next().catch(() => ({ value: undefined, done: false }));
    if (chunk === undefined) return done && left + held.length === 0 ? "whole" : "cut";
    held = Buffer.concat([held, chunk]);
    while (held.length >= (left > 0 ? 1 : HEADER_BYTES)) {
      if (left === 0)
        [kind, left, held] = [held.readUInt32BE(0), held.readUInt32BE(4), held.subarray(HEADER_BYTES)];
      const stream = STREAMS.get(kind);
      // Not a frame: nothing after it can be interpreted.
      if (stream === undefined) return "cut";
      const bytes = held.subarray(0, left);
      left -= bytes.length;
      held = held.subarray(bytes.length);
      if (bytes.length > 0) onOutput(stream, bytes);
    }
  }
}
