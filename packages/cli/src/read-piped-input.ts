import { fstatSync } from "node:fs";
import { addAbortSignal } from "node:stream";
import { CliError } from "./cli-error.ts";
import type { ReadInput } from "./command-context.ts";

const MAX_INPUT_BYTES = 16 * 1024 * 1024;
const NOTICE_MS = 2_000;
const MAX_IDLE_MS = 60_000;

/**
 * Everything that is piped into this process, or nothing where standard input is a terminal or a device.
 *
 * Many programs start others with an input that they never close: then it says what it waits for, and gives up.
 */
export const readPipedInput: ReadInput = async ({ onWait, signal }) => {
  const status = fstatSync(0);
  if (!status.isFile() && !status.isFIFO() && !status.isSocket()) return undefined;
  const notice = setTimeout(
    () => onWait("Waiting for standard input to end; for none, add: </dev/null"),
    NOTICE_MS,
  );
  try {
    // Left open, an input would keep the process from ending.
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
  const idle = setTimeout(() => input.destroy(neverEnds()), MAX_IDLE_MS);
  try {
    for await (const chunk of input) {
      onData();
      idle.refresh();
      size += (chunk as Buffer).length;
      if (size > MAX_INPUT_BYTES) throw tooLong();
      chunks.push(chunk as Buffer);
    }
  } finally {
    clearTimeout(idle);
  }
  return Buffer.concat(chunks);
}

function tooLong(): CliError {
  return new CliError("input-too-long", `Standard input is longer than ${MAX_INPUT_BYTES} bytes.`, {
    hints: ["Put it into a file of the workspace and pass the script its path."],
  });
}

function neverEnds(): CliError {
  return new CliError(
    "input-open",
    `Standard input is open, and nothing came for ${MAX_IDLE_MS / 1000} seconds.`,
    { hints: ["If the script needs no input, add: </dev/null"] },
  );
}
