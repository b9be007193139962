import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { type Digest, digestBytes } from "./digest.ts";
import { errorCode, SkilletError } from "./errors.ts";
import { withFileLock } from "./files/with-file-lock.ts";
import { syncDirectory, writeAtomic } from "./files/write-atomic.ts";
import { parseJsonObject } from "./json.ts";
import { splitLines } from "./lines.ts";

export interface LogFormat {
  readonly name: string;
  readonly errorCodes: Readonly<Record<"unavailable" | "damaged" | "tooLong" | "full", string>>;
  /** How to continue after damage; ends a message. */
  readonly ifDamaged: string;
  readonly maxLineBytes: number;
  readonly maxBytes: number;
  /** Whether each line contains the previous line's hash and ends in its own, so that any edit shows. */
  readonly isChained: boolean;
  /** Why a parsed line is not a record; the log itself checks sequence and hashes. */
  check(value: Readonly<Record<string, unknown>>): string | undefined;
}

/** Bytes without a newline that a crash left at the end, and the file they were copied to. */
export interface TornLine {
  readonly path: string;
  readonly digest: Digest;
  readonly bytes: number;
}

/** One fault of a line; the message completes the sentence "line 7 …". */
export interface LogFault {
  readonly kind: "too-large" | "unreadable" | "changed" | "torn" | "out-of-sequence";
  readonly message: string;
}

/** One line as found; even a line with faults may have a readable value. */
export interface LogLine<Line> {
  readonly line: number;
  readonly value?: Line;
  readonly faults: readonly LogFault[];
}

/** The predecessor named by the first line of a chained log. */
const GENESIS: Digest = `sha256:${"0".repeat(64)}`;
const HASH_FIELD = /^,"hash":"(sha256:[0-9a-f]{64})"\}$/;
const HASH_FIELD_LENGTH = `,"hash":"${GENESIS}"}`.length;

const NEWLINE = 0x0a;
const CHUNK_BYTES = 65_536;
// Most lines are short; the search window for the last one grows if needed.
const FIRST_WINDOW_BYTES = 8192;

// O_NONBLOCK: a FIFO in the log's place is refused instead of waited for. Links are not followed: the lock is
// named after the log, and a prepared folder could otherwise redirect lines into any of the user's files.
const SAFE = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const FLAGS = {
  read: constants.O_RDONLY | SAFE,
  sync: constants.O_RDWR | SAFE,
  append: constants.O_RDWR | constants.O_CREAT | SAFE,
};

interface Tail {
  readonly sequence: number;
  readonly previous: Digest;
  /** Just past the last complete line. */
  readonly offset: number;
  /** The rest of a line that a crash cut short; usually empty. */
  readonly torn: Uint8Array;
}

interface AppendOptions {
  readonly recover: (torn: TornLine) => string;
  /** Called after the note about a torn line is written: the note stays even if the lines after it fail. */
  readonly onRecovered?: (() => void) | undefined;
  /** Called with the last line's number while the lock is held; if it throws, the log stays unchanged. */
  readonly check?: ((lastSequence: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An append-only file of JSON lines, numbered from 1, that several processes may write to. */
export class Log<
  Line extends { readonly sequence: number; readonly previous?: Digest; readonly hash?: Digest },
> {
  readonly #file: string;
  readonly #format: LogFormat;

  constructor(file: string, format: LogFormat) {
    this.#file = file;
    this.#format = format;
  }

  /**
   * Appends items, each the JSON text of a non-empty object, and returns the last line as written; all are on
   * disk when the promise resolves. `items` is called while the lock is held, so that their times never go
   * back. `recover` returns the item that records a torn line.
   */
  append(items: () => readonly string[], options: AppendOptions): Promise<Line> {
    return this.#locked(async () => {
      const handle = (await this.#open("append")) as FileHandle;
      try {
        return await this.#appendTo(handle, items(), options);
      } catch (error) {
        const errno = errorCode(error);
        if (SkilletError.isInstance(error) || errno === undefined) throw error;
        const why = `could not be written (${errno}); free some space or check the disk, then try again`;
        throw this.#fault("unavailable", why, { data: { errno }, cause: error });
      } finally {
        await handle.close();
      }
    }, options.signal);
  }

  /** Reads line by line in bounded memory, and checks sequence and chain; a missing log has no lines. */
  async *lines(options: { readonly signal?: AbortSignal | undefined } = {}): AsyncGenerator<LogLine<Line>> {
    const handle = await this.#open("read");
    if (handle === undefined) return;
    try {
      yield* this.#check(handle, options.signal);
    } finally {
      await handle.close();
    }
  }

  /**
   * Runs an action between two appends, with the whole log on disk: nothing that the action reads can be lost
   * afterwards, neither to a failing write in progress nor to a power cut after a process was killed.
   */
  settled<Result>(action: () => Promise<Result>): Promise<Result> {
    return this.#locked(async () => {
      const handle = await this.#open("sync");
      try {
        await handle?.sync();
      } finally {
        await handle?.close();
      }
      return action();
    });
  }

  #locked<Result>(action: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return withFileLock(`${this.#file}.lock`, action, { signal });
  }

  async #appendTo(
    handle: FileHandle,
    items: readonly string[],
    { recover, onRecovered, check }: AppendOptions,
  ): Promise<Line> {
    const tail = await this.#readTail(handle);
    check?.(tail.sequence - 1);
    const note = tail.torn.length === 0 ? [] : [recover(await this.#copyTorn(tail.torn))];
    const lines = this.#encode([...note, ...items], tail);
    const noteBytes = Buffer.concat(lines.slice(0, note.length));
    const bytes = Buffer.concat(lines.slice(note.length));
    const offset = tail.offset + noteBytes.length;
    let isNoted = note.length === 0;
    try {
      // The note overwrites the torn bytes without truncating first: after a crash in between, the log again
      // ends in a torn line or in the torn note.
      if (!isNoted) await writeThrough(handle, noteBytes, tail.offset).then(onRecovered);
      isNoted = true;
      await writeThrough(handle, bytes, offset);
      if (tail.offset === 0) await syncDirectory(dirname(this.#file));
    } catch (error) {
      // A line that is reported as not written must not turn up later.
      if (isNoted)
        await handle.truncate(offset).catch((second: unknown) => {
          throw Object.assign(new AggregateError([error, second], "the write and its undoing failed"), {
            code: errorCode(error),
          });
        });
      throw error;
    }
    return JSON.parse((lines.at(-1) as Buffer).toString()) as Line;
  }

  #encode(items: readonly string[], tail: Tail): readonly Buffer[] {
    const { isChained, maxLineBytes, maxBytes } = this.#format;
    let { sequence, previous, offset } = tail;
    return items.map((item) => {
      let line = `{"sequence":${sequence},${item.slice(1, -1)}`;
      if (isChained) {
        line += `,"previous":"${previous}"`;
        previous = digestBytes(Buffer.from(line));
        line += `,"hash":"${previous}"`;
      }
      const bytes = Buffer.from(`${line}}\n`);
      sequence += 1;
      offset += bytes.length;
      if (bytes.length > maxLineBytes) {
        const why = `cannot take a record of ${bytes.length} bytes: a line holds at most ${maxLineBytes}. Shorten its texts`;
        throw this.#fault("tooLong", why, { data: { bytes: bytes.length } });
      }
      if (offset > maxBytes) {
        const why = `has reached ${maxBytes} bytes, the most that is read back; start a new one`;
        throw this.#fault("full", why, { data: { maxBytes } });
      }
      return bytes;
    });
  }

  // Must be on disk before the log is touched.
  async #copyTorn(torn: Uint8Array): Promise<TornLine> {
    const digest = digestBytes(torn);
    const path = `${this.#file}.torn-${digest.slice(7, 23)}`;
    await writeAtomic(path, torn, { mode: 0o600, links: "refuse" });
    return { path, digest, bytes: torn.length };
  }

  async #readTail(handle: FileHandle): Promise<Tail> {
    const { size } = await handle.stat();
    const { maxLineBytes } = this.#format;
    // Room for the last complete line and one torn line after it.
    const maxWindow = 2 * (maxLineBytes + 1);
    for (let length = FIRST_WINDOW_BYTES; ; length *= 8) {
      const start = Math.max(0, size - Math.min(length, maxWindow));
      const window = await readFrom(handle, start, size - start);
      const end = window.lastIndexOf(NEWLINE);
      const begin = end <= 0 ? -1 : window.lastIndexOf(NEWLINE, end - 1);
      if (begin === -1 && start > 0 && length < maxWindow) continue;

      const torn = window.subarray(end + 1);
      if (torn.length > maxLineBytes) throw this.#damaged("it ends in bytes that are not a line");
      if (end === -1) return { sequence: 1, previous: GENESIS, offset: 0, torn };
      const { value, fault } = this.#decode(window.subarray(begin + 1, end));
      if (value === undefined || fault !== undefined)
        throw this.#damaged(`its last line ${fault?.message ?? ""}`);
      return {
        sequence: value.sequence + 1,
        previous: value.hash ?? GENESIS,
        offset: start + end + 1,
        torn,
      };
    }
  }

  async *#check(handle: FileHandle, signal: AbortSignal | undefined): AsyncGenerator<LogLine<Line>> {
    const { maxBytes, maxLineBytes, isChained } = this.#format;
    if ((await handle.stat()).size > maxBytes) {
      yield {
        line: 1,
        faults: [{ kind: "too-large", message: `is in a file of more than ${maxBytes} bytes` }],
      };
      return;
    }
    // After an unreadable line, it is unknown what the next line must contain.
    let expected: { sequence: number; previous?: Digest } | undefined = { sequence: 1, previous: GENESIS };
    let line = 0;
    const chunks = handle.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, autoClose: false });
    for await (const { bytes, isWhole } of splitLines(chunks, maxLineBytes)) {
      signal?.throwIfAborted();
      line += 1;
      const { value, fault } = bytes === undefined ? TOO_LONG : this.#decode(bytes);
      const faults = fault === undefined ? [] : [fault];
      if (!isWhole) faults.push({ kind: "torn", message: "was cut short: it has no end of line" });
      const follows =
        value?.sequence === expected?.sequence && (!isChained || value?.previous === expected?.previous);
      if (value !== undefined && expected !== undefined && !follows) {
        const message = `does not follow the line before it: lines were removed, added or moved (sequence ${value.sequence}, expected ${expected.sequence})`;
        faults.push({ kind: "out-of-sequence", message });
      }
      expected = value && { sequence: value.sequence + 1, ...(value.hash && { previous: value.hash }) };
      yield { line, ...(value && { value }), faults };
    }
  }

  /** Decodes one line without its newline; the hash is checked against the raw bytes. */
  #decode(bytes: Uint8Array): { value?: Line; fault?: LogFault } {
    const value = parseJsonObject(bytes);
    if (value === undefined) return unreadable("is not a JSON object");
    const problem = Number.isSafeInteger(value.sequence)
      ? this.#format.check(value)
      : "sequence is not a whole number";
    if (problem !== undefined) return unreadable(`is not a record: ${problem}`);
    const line = value as unknown as Line;
    if (!this.#format.isChained) return { value: line };
    const split = Math.max(0, bytes.length - HASH_FIELD_LENGTH);
    const [, hash] = HASH_FIELD.exec(Buffer.from(bytes.subarray(split)).toString("latin1")) ?? [];
    if (hash === undefined || typeof value.previous !== "string")
      return unreadable("is not a record: it is not chained to the line before");
    if (digestBytes(bytes.subarray(0, split)) === hash) return { value: line };
    return { value: line, fault: { kind: "changed", message: "was changed: its hash does not match" } };
  }

  async #open(purpose: keyof typeof FLAGS): Promise<FileHandle | undefined> {
    let handle: FileHandle;
    try {
      handle = await open(this.#file, FLAGS[purpose], 0o600);
    } catch (error) {
      const code = errorCode(error);
      if (purpose !== "append" && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
      throw this.#refused(code === "ELOOP" ? "it is a link" : (code ?? "unknown error"), error);
    }
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw this.#refused("it is not a regular file");
  }

  #refused(why: string, cause?: unknown): SkilletError {
    const message = `cannot be opened (${why}); make it a regular file that you can write`;
    return this.#fault("unavailable", message, { cause });
  }

  #damaged(why: string): SkilletError {
    return this.#fault("damaged", `cannot be continued: ${why}. ${this.#format.ifDamaged}`);
  }

  #fault(
    kind: keyof LogFormat["errorCodes"],
    message: string,
    { data, cause }: { readonly data?: object; readonly cause?: unknown } = {},
  ): SkilletError {
    const { name, errorCodes } = this.#format;
    const options = { data: { file: this.#file, ...data }, cause };
    return new SkilletError(errorCodes[kind], `The ${name} ${this.#file} ${message}.`, options);
  }
}

function unreadable(message: string): { value?: never; fault: LogFault } {
  return { fault: { kind: "unreadable", message } };
}

const TOO_LONG = unreadable("is too long to be a record");

async function readFrom(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Overwrites the file from the offset on, and waits for the disk. */
async function writeThrough(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await handle.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
  await handle.truncate(offset + bytes.length);
  await handle.sync();
}
