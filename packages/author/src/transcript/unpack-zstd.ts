import { dirname } from "node:path";
import { type Duplex, pipeline, Readable, type Transform } from "node:stream";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { readChunks } from "@skillet/kit/files";
import { runProcess } from "@skillet/kit/process";
import { findProgram } from "@skillet/kit/program";

const CHUNK_BYTES = 262_144;
const DEADLINE_MS = 600_000;
/** A small file can unpack to any size. */
const MAX_UNPACKED_BYTES = 4 * 1024 ** 3;

/** Unpacks a Zstandard file as it is read: with Node.js from 22.15 on, otherwise with the program `zstd`. */
export async function* unpackZstd(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of open(path, environment)) {
    bytes += chunk.length;
    if (bytes > MAX_UNPACKED_BYTES)
      throw new SkilletError("transcript-too-large", `${path} unpacks to more than 4 GiB, and was not read.`);
    yield chunk;
  }
}

async function* open(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<Uint8Array> {
  // The type definitions are those of Node.js 20, which does not have it.
  const { createZstdDecompress } = process.getBuiltinModule("node:zlib") as {
    readonly createZstdDecompress?: () => Transform;
  };
  if (createZstdDecompress !== undefined) {
    try {
      yield* pipeline(Readable.from(readChunks(path, CHUNK_BYTES)), createZstdDecompress(), () => undefined);
    } catch (error) {
      throw errorCode(error)?.startsWith("Z") === true ? unreadable(path, "is damaged") : error;
    }
    return;
  }
  const [program, shell] = ["zstd", "sh"].map((name) => findProgram(name, environment));
  if (program === undefined || shell === undefined) throw unreadable(path, "cannot be unpacked here");
  const stop = new AbortController();
  let connect = (_: Duplex): void => undefined;
  const channel = new Promise<Duplex>((resolve) => {
    connect = resolve;
  });
  const ended = runProcess({
    // Through a channel, which waits for its reader: standard output would pile up in memory.
    argv: [shell, "-c", 'exec "$0" -dcq -- "$1" >&3', program, path],
    environment: {},
    cwd: dirname(path),
    deadlineMs: DEADLINE_MS,
    signal: stop.signal,
    descriptors: [{ kind: "channel", connect }],
  });
  try {
    yield* await Promise.race([channel, ended.then(() => Readable.from([]))]);
    const { exitCode } = await ended;
    if (exitCode !== 0) throw unreadable(path, "is damaged");
  } finally {
    stop.abort();
    await ended;
  }
}

function unreadable(path: string, why: string): SkilletError {
  const message = `${path} ${why}. Install zstd or Node.js 22.15, or unpack it first: zstd -d FILE`;
  return new SkilletError("transcript-compressed", message, { data: { path } });
}
