import { fstatSync, writeSync } from "node:fs";
import { addAbortSignal } from "node:stream";
import { errorCode } from "@skillet/kit/errors";
import { CliError } from "./context/cli-error.ts";
import type { Interrupt, ReadInput } from "./context/command-context.ts";
import { runSkillet } from "./run-skillet.ts";
import type { OutputStream } from "./ui/terminal.ts";

export { AGENTS } from "@skillet/core/internal";
export { DEFINITIONS } from "./define/definitions.ts";
export { runSkillet };

export async function main(options: { readonly version: string }): Promise<void> {
  const stdout = openOutput(1);
  const stderr = openOutput(2);
  const workingDirectory = currentDirectory();
  if (workingDirectory === undefined) {
    stderr.write("error: The working directory no longer exists.\n  Change to another one first: cd ~\n");
    process.exitCode = 2;
    return;
  }
  // Standard input is opened only if the user can be asked, because opening it takes time.
  const canAsk = stderr.isTTY && process.stdin.isTTY;
  const exitCode = await runSkillet(process.argv.slice(2), {
    version: options.version,
    stdout,
    stderr,
    environment: process.env,
    workingDirectory,
    ...(canAsk && { dialog: { input: process.stdin, output: stderr.stream } }),
    readInput: readPipedInput,
    onInterrupt: (listener) => takeOverSignals(stdout.stream, listener),
  });
  // A failed write also sets the exit code, before or after this.
  process.exitCode ??= exitCode;
}

/**
 * A standard stream that is created only if needed, because that takes as long as finding 50 skills: pipes
 * and files are written to directly. After a failed write, the stream takes over and reports the error.
 */
function openOutput(descriptor: 1 | 2): OutputStream & { readonly stream: NodeJS.WriteStream } {
  const status = fstatSync(descriptor);
  const isDirect = process.platform !== "win32" && (status.isFIFO() || status.isSocket() || status.isFile());
  let made: NodeJS.WriteStream | undefined;
  const makeStream = (): NodeJS.WriteStream => {
    made = descriptor === 1 ? process.stdout : process.stderr;
    watchOutput(made, descriptor === 1 ? "Standard output" : "Standard error");
    return made;
  };
  return {
    get stream() {
      return made ?? makeStream();
    },
    get isTTY() {
      return !isDirect && this.stream.isTTY;
    },
    get columns() {
      return isDirect ? undefined : this.stream.columns;
    },
    write(text) {
      let rest = typeof text === "string" ? Buffer.from(text) : text;
      try {
        while (isDirect && made === undefined && rest.length > 0)
          rest = rest.subarray(writeSync(descriptor, rest));
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
      }
      if (rest.length > 0) this.stream.write(rest);
    },
  };
}

// `skillet show | head` closes the pipe early on purpose, so that is not an error: the command finishes, for
// a correct exit code. A full disk is an error, reported once, because every further write fails, too.
function watchOutput(stream: NodeJS.WriteStream, name: string): void {
  let isTold = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 2;
    if (isTold || stream === process.stderr) return;
    isTold = true;
    process.stderr.write(
      `error: ${name} could not be written (${error.code ?? error.message}) and is not whole; free some space, or write it elsewhere.\n`,
    );
  });
}

const INTERRUPTS = ["SIGHUP", "SIGINT", "SIGTERM"] as const satisfies readonly Interrupt[];

// Node ignores SIGPIPE and reports an error instead; passed on once, because every further write fails.
function takeOverSignals(stdout: NodeJS.WriteStream, listener: (signal: Interrupt) => void): () => void {
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== "EPIPE") return;
    stdout.off("error", onError);
    listener("SIGPIPE");
  };
  stdout.on("error", onError);
  for (const signal of INTERRUPTS) process.on(signal, listener);
  return () => {
    stdout.off("error", onError);
    for (const signal of INTERRUPTS) process.off(signal, listener);
  };
}

function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const MAX_INPUT_BYTES = 16 * 1024 * 1024;
const NOTICE_MS = 2_000;
const MAX_IDLE_MS = 60_000;

/** Reads nothing from a terminal or a device. Gives up after a while: many programs never close the pipe. */
const readPipedInput: ReadInput = async ({ onWait, signal }) => {
  const status = fstatSync(0);
  if (!status.isFile() && !status.isFIFO() && !status.isSocket()) return undefined;
  const notice = setTimeout(
    () => onWait("Waiting for standard input to end; for none, add: </dev/null"),
    NOTICE_MS,
  );
  try {
    // An input that stays open would keep the process from ending.
    const input = signal === undefined ? process.stdin : addAbortSignal(signal, process.stdin);
    return await readAll(input, () => clearTimeout(notice));
  } catch (error) {
    if (signal?.aborted === true) return undefined;
    throw error;
  } finally {
    clearTimeout(notice);
  }
};

async function readAll(input: NodeJS.ReadStream, onData: () => void): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  const open = `Standard input is open, and nothing came for ${MAX_IDLE_MS / 1000} seconds.`;
  const hints = ["If the script needs no input, add: </dev/null"];
  const idle = setTimeout(() => input.destroy(new CliError("input-open", open, { hints })), MAX_IDLE_MS);
  try {
    for await (const chunk of input) {
      onData();
      idle.refresh();
      size += (chunk as Buffer).length;
      if (size > MAX_INPUT_BYTES)
        throw new CliError("input-too-long", `Standard input is longer than ${MAX_INPUT_BYTES} bytes.`, {
          hints: ["Put it into a file of the workspace and pass the script its path."],
        });
      chunks.push(chunk as Buffer);
    }
  } finally {
    clearTimeout(idle);
  }
  return Buffer.concat(chunks);
}
