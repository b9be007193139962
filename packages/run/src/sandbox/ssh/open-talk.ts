import { randomBytes } from "node:crypto";
import { type Duplex, Readable } from "node:stream";
import { type ProcessResult, runProcess } from "@skillet/kit/process";
import { quoteShell } from "@skillet/kit/text";
import { WIRE_BLOCK_BYTES } from "./remote-tree.ts";
import { type SshConnection, sshArgv } from "./ssh-options.ts";

export interface Talk {
  next(): Promise<string | undefined>;
  /** Settles when the bytes have been sent, or never will be. */
  send(bytes: Uint8Array | string): Promise<void>;
  cut(): void;
  readonly closed: Promise<TalkEnd>;
}

export interface TalkEnd {
  readonly result: ProcessResult;
  readonly remarks: string;
  /** Whether both streams reached their marked end. */
  readonly whole: boolean;
}

interface TalkRequest {
  readonly options: SshConnection;
  /** Shell variables for the program, by name; they are sent quoted. */
  readonly values: Readonly<Record<string, string>>;
  readonly program: string;
  readonly deadlineMs: number;
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
}

const MAX_TRANSPORT_BYTES = 256 * 1024 * 1024;
const MAX_REMARK_BYTES = 8192;
const MAX_MESSAGES = 1000;

/** Sends the program and all its data through standard input, so that no list of processes shows them. */
export function openTalk(request: TalkRequest): Talk {
  const mark = randomBytes(24).toString("hex");
  const cutter = new AbortController();
  const cut = (): void => cutter.abort();
  const messages = new Readable({ objectMode: true, read: () => undefined });
  const arriving: AsyncIterator<string> = messages[Symbol.asyncIterator]();
  let messageCount = 0;
  const remarks = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  const listen = (name: "stdout" | "stderr"): MarkedStream =>
    new MarkedStream(mark, {
      data: (bytes, isOutput) => {
        if (isOutput) request.onOutput?.(name, bytes);
        else if (remarks[name].length < MAX_REMARK_BYTES)
          remarks[name] = Buffer.concat([remarks[name], bytes]).subarray(0, MAX_REMARK_BYTES);
      },
      message: (message) => {
        if (name !== "stdout") return;
        messageCount += 1;
        if (messageCount > MAX_MESSAGES) cut();
        else messages.push(message);
      },
      overflow: cut,
    });
  const streams = { stdout: listen("stdout"), stderr: listen("stderr") };
  const values = Object.entries({ nonce: mark, ...request.values });
  const assignments = values.map(([name, value]) => `${name}=${quoteShell(value)}\n`);
  const program = padded(`${assignments.join("")}${request.program}\n`);
  let channel: Duplex | undefined;
  const closed = runProcess({
    argv: sshArgv(request.options, remoteCommand(program.length / WIRE_BLOCK_BYTES)),
    environment: request.options.environment,
    cwd: "/",
    deadlineMs: request.deadlineMs,
    signal: cutter.signal,
    maxOutputBytes: 0,
    maxSeenBytes: MAX_TRANSPORT_BYTES,
    onOutput: (stream, bytes) => streams[stream].add(bytes),
    descriptors: [
      {
        kind: "channel",
        connect: (opened) => {
          channel = opened;
          // Nothing is ever expected from it, but its end is noticed only by reading.
          opened.resume();
          opened.write(program);
        },
      },
    ],
  })
    .then((result) => {
      const { stdout, stderr } = streams;
      for (const stream of [stdout, stderr]) stream.finish();
      // A login shell that refuses a log-in says so on standard output.
      const said = remarks.stderr.toString() || remarks.stdout.toString();
      return { result, remarks: said, whole: stdout.isEnded && stderr.isEnded };
    })
    .finally(() => messages.push(null));
  // Awaited later; until then a failure must not count as unhandled.
  closed.catch(() => undefined);
  return {
    next: async () => (await arriving.next()).value,
    send: (bytes) =>
      new Promise((resolve) => {
        if (channel === undefined || channel.destroyed || !channel.writable) return resolve();
        channel.once("close", resolve);
        channel.write(bytes, () => {
          channel?.off("close", resolve);
          resolve();
        });
      }),
    cut,
    closed,
  };
}

/** Pads to whole blocks: programs with harmless line ends, bytes with zeros, which are cut off again. */
export function padded(bytes: Uint8Array | string): Buffer {
  const content = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  const length = Math.ceil(content.length / WIRE_BLOCK_BYTES) * WIRE_BLOCK_BYTES;
  const room = Buffer.alloc(length, typeof bytes === "string" ? "\n" : 0);
  room.set(content);
  return room;
}

// Short, in words that every login shell parses alike; the account's environment does not reach the program.
function remoteCommand(blocks: number): string {
  const environment = ["HOME", "PATH", "SSH_CONNECTION"].map((name) => `${name}="$${name}"`).join(" ");
  const shell = `eval "$(dd bs=${WIRE_BLOCK_BYTES} count=${blocks} iflag=fullblock 2>/dev/null)"`;
  return `exec env -i ${environment} /bin/sh -c ${quoteShell(shell)}`;
}

interface MarkedStreamEvents {
  /** Between the messages `start` and `end`, the script's output; otherwise remarks of ssh or a shell. */
  readonly data: (bytes: Uint8Array, isOutput: boolean) => void;
  readonly message: (text: string) => void;
  /** A message is too long; no event follows. */
  readonly overflow: () => void;
}

export const MAX_MESSAGE_BYTES = 8192;

/**
 * A message is the mark, a space, text and a line end. The mark is a secret of this connection, unknown to
 * the script, whose output therefore cannot pass for a message. Only an unfinished mark or message is held
 * back.
 */
export class MarkedStream {
  readonly #mark: Buffer;
  readonly #events: MarkedStreamEvents;
  #held: Buffer = Buffer.alloc(0);
  #overflown = false;
  #isLive = false;
  isEnded = false;

  constructor(mark: string, events: MarkedStreamEvents) {
    this.#mark = Buffer.from(mark);
    this.#events = events;
  }

  add(chunk: Uint8Array): void {
    if (this.#overflown) return;
    let rest = this.#held.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#held, chunk]);
    for (;;) {
      const start = rest.indexOf(this.#mark);
      if (start === -1) break;
      this.#emit(rest.subarray(0, start));
      const end = rest.indexOf(0x0a, start);
      if (end === -1) {
        this.#overflown = rest.length - start > MAX_MESSAGE_BYTES;
        if (this.#overflown) this.#events.overflow();
        else this.#held = Buffer.from(rest.subarray(start));
        return;
      }
      const message = rest.subarray(start + this.#mark.length + 1, end).toString();
      const [word] = message.split(" ", 1);
      if (word === "start" || word === "end") this.#isLive = word === "start";
      this.isEnded ||= word === "end";
      this.#events.message(message);
      rest = rest.subarray(end + 1);
    }
    const kept = this.#beginningOfMark(rest);
    this.#emit(rest.subarray(0, rest.length - kept));
    this.#held = Buffer.from(rest.subarray(rest.length - kept));
  }

  /** Passes on what was held back; drops an incomplete message. */
  finish(): void {
    if (this.#held.length < this.#mark.length) this.#emit(this.#held);
    this.#held = Buffer.alloc(0);
  }

  #emit(bytes: Buffer): void {
    if (bytes.length > 0) this.#events.data(bytes, this.#isLive);
  }

  #beginningOfMark(bytes: Buffer): number {
    for (let length = Math.min(this.#mark.length - 1, bytes.length); length > 0; length -= 1) {
      if (bytes.subarray(bytes.length - length).equals(this.#mark.subarray(0, length))) return length;
    }
    return 0;
  }
}
