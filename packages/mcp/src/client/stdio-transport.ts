import { isAbsolute } from "node:path";
import { type Duplex, PassThrough } from "node:stream";
import { SkilletError } from "@skillet/kit/errors";
import { asObject, fieldOf, type JsonObject, parseJson, textOf } from "@skillet/kit/json";
import { runProcess } from "@skillet/kit/process";
import { findProgram } from "@skillet/kit/program";
import { answerTo, FAULT, faultAnswer, isRequestId, ProtocolFault } from "../protocol/json-rpc.ts";
import { readLines, tooLarge } from "../protocol/read-lines.ts";
import { ENTRY_LIMITS } from "../protocol/skill-entry.ts";
import type { Transport } from "./mcp-client.ts";

/** A server that is started by the first request, and ended together with everything that it started. */
export interface McpCommand {
  /** The program, as a path or a name found in PATH, and its arguments; no shell reads them. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The host's environment; the server gets PATH, HOME and the like, and the variables that `pass` names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly pass?: readonly string[] | undefined;
}

const PASSED = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];
const IDLE_MS = 30_000;
const MAX_LIFE_MS = 24 * 60 * 60 * 1000;
const MAX_SEEN_BYTES = 1024 * 1024 * 1024;
const MAX_REMARK_BYTES = 4096;
/** Answers to a server that sends requests and does not read the answers. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** The largest file, with every byte escaped. */
const MAX_LINE_BYTES: number = ENTRY_LIMITS.bytes * 6 + 64 * 1024;

interface Waiting {
  readonly maxBytes: number;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

interface Running {
  readonly waiting: Map<unknown, Waiting>;
  write(message: object): void;
  end(): void;
}

export function stdioTransport(command: McpCommand, onLost: () => void, ending?: AbortSignal): Transport {
  let running: Running | undefined;
  let idle: NodeJS.Timeout | undefined;
  const start = (): Running => {
    const made = startServer(command, ending, () => {
      if (running !== made) return;
      running = undefined;
      onLost();
    });
    running = made;
    return made;
  };
  return async (message, { signal, maxBytes }) => {
    signal.throwIfAborted();
    clearTimeout(idle);
    const server = running ?? start();
    const { id } = message;
    const answered = new Promise<JsonObject | undefined>((resolve, reject) => {
      if (id === undefined) resolve(undefined);
      else server.waiting.set(id, { resolve, reject, maxBytes });
    });
    // A server that hangs is ended with everything that it started.
    signal.addEventListener("abort", server.end, { once: true });
    try {
      server.write(message);
      return await answered;
    } finally {
      signal.removeEventListener("abort", server.end);
      server.waiting.delete(id);
      if (server.waiting.size === 0) idle = setTimeout(server.end, IDLE_MS).unref();
    }
  };
}

function startServer(command: McpCommand, ending: AbortSignal | undefined, onEnd: () => void): Running {
  const { environment, cwd, pass = [] } = command;
  const [name = "", ...args] = command.argv;
  const program = isAbsolute(name) ? name : findProgram(name, environment);
  const missing = `There is no program ${JSON.stringify(name.slice(0, 200))} on the PATH to start the MCP server with.`;
  if (program === undefined) throw new SkilletError("mcp-command-not-found", missing);
  const waiting: Running["waiting"] = new Map();
  const ended = new AbortController();
  const output = new PassThrough();
  let input: Duplex | undefined;
  const write = (message: object): void => void input?.write(`${JSON.stringify(message)}\n`);
  const given = [...PASSED, ...pass].flatMap((key) => {
    const value = environment[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  const fail = (error: unknown): void => {
    for (const { reject } of waiting.values()) reject(error);
    onEnd();
    ended.abort();
  };
  const life = runProcess({
    // A channel is readable and writable for the life of the process, so it serves as standard input.
    argv: ["/bin/sh", "-c", 'exec "$@" <&3 3<&-', "sh", program, ...args],
    environment: Object.fromEntries(given),
    cwd,
    deadlineMs: MAX_LIFE_MS,
    maxOutputBytes: MAX_REMARK_BYTES,
    maxSeenBytes: MAX_SEEN_BYTES,
    signal: ending === undefined ? ended.signal : AbortSignal.any([ended.signal, ending]),
    onOutput: (stream, bytes) => void (stream === "stdout" && output.write(bytes)),
    descriptors: [
      {
        kind: "channel",
        connect: (channel) => {
          input = channel;
          // Nothing useful is read here, but the end of the channel is only noticed by reading.
          channel.resume();
        },
      },
    ],
  });
  life.then(({ exitCode, ending: how, stderr }) => {
    const said = Buffer.concat([stderr.head, stderr.tail]).toString().trim().split("\n").at(-1) ?? "";
    const why = how === "exit" ? `ended with ${exitCode ?? "a signal"}` : `was ended (${how})`;
    fail(new Error(`it ${why}${said === "" ? "" : `, and said: ${said}`}`));
  }, fail);
  const listen = async (): Promise<void> => {
    for await (const line of readLines(output, MAX_LINE_BYTES)) {
      const message = asObject(parseJson(line));
      const id = fieldOf(message, "id");
      if (textOf(message, "method") === undefined) {
        const one = waiting.get(id);
        if (message === undefined || one === undefined) continue;
        if (line.length > one.maxBytes) one.reject(tooLarge(one.maxBytes));
        else one.resolve(message);
      } else if (isRequestId(id) && (input?.writableLength ?? 0) < MAX_UNREAD_BYTES) {
        const unknown = new ProtocolFault(FAULT.method, "This client answers no requests except ping.");
        write(textOf(message, "method") === "ping" ? answerTo(id, {}) : faultAnswer(id, unknown));
      }
    }
  };
  listen().catch(fail);
  return { waiting, write, end: () => ended.abort() };
}
