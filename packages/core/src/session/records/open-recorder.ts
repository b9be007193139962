import { lstat, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { syncDirectory } from "@skillet/kit/files";
import { appendJournal, type JournalEntry, type JournalItem } from "./journal.ts";
import { checkRecord } from "./record-shape.ts";
import type { Recorder, SessionRecord } from "./session-record.ts";
import { MAX_RECORD_BYTES, shortenRecord } from "./shorten-record.ts";

// Records that wait for one write together; the disk is asked once for all of them.
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;
const MAX_RUN_ID_CHARACTERS = 200;

interface OpenRecorderOptions {
  /** Made if it is not there; several processes may record into one. */
  readonly runFolder: string;
  readonly runId: string;
  readonly clock: () => number;
}

/**
 * Opens the journal of a run for appending; a record is on disk when its promise resolves.
 *
 * @example
 * const recorder = await openRecorder({ runFolder: ".skillet/runs/42", runId: "42", clock: Date.now });
 */
export async function openRecorder(options: OpenRecorderOptions): Promise<Recorder> {
  const { runId, clock } = options;
  checkRunId(runId);
  const runFolder = resolve(options.runFolder);
  await makeRunFolder(runFolder);
  return new JournalRecorder(runFolder, runId, clock);
}

interface Waiting {
  readonly item: JournalItem;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

class JournalRecorder implements Recorder {
  readonly runId: string;
  readonly runFolder: string;
  readonly #clock: () => number;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(runFolder: string, runId: string, clock: () => number) {
    this.runFolder = runFolder;
    this.runId = runId;
    this.#clock = clock;
  }

  append(record: SessionRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      // At once, so that later changes to the object are not recorded as having been there now.
      const item = createItem(record, this.runId, this.#clock);
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
      try {
        await appendJournal(
          this.runFolder,
          batch.map(({ item }) => item),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }

  #nextBatch(): Waiting[] {
    let characters = 0;
    const end = this.#waiting.findIndex(({ item }, index) => {
      characters += item.json.length;
      return index > 0 && characters > MAX_BATCH_CHARACTERS;
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }
}

function checkRunId(runId: string): void {
  if (runId.length > 0 && runId.length <= MAX_RUN_ID_CHARACTERS) return;
  const message = `The id of a run has 1 to ${MAX_RUN_ID_CHARACTERS} characters, not ${runId.length}.`;
  throw new SkilletError("run-id-invalid", message, { data: { length: runId.length } });
}

async function makeRunFolder(runFolder: string): Promise<void> {
  try {
    if (await makeFolders(runFolder)) await syncDirectory(dirname(runFolder));
    // A project could bring a link in this place and have records written wherever it leads.
    if (!(await lstat(runFolder)).isSymbolicLink()) return;
  } catch (error) {
    const code = errorCode(error) ?? "unknown error";
    const message = `The run folder ${runFolder} could not be made (${code}); pass a folder that you can write.`;
    throw new SkilletError("records-unavailable", message, {
      data: { runFolder, errno: code },
      cause: error,
    });
  }
  const message = `The run folder ${runFolder} is a link, which is not followed; pass the folder that it leads to.`;
  throw new SkilletError("records-unavailable", message, { data: { runFolder } });
}

// Step by step: Node's own way never ends below a folder such as /proc, which exists and takes nothing in.
async function makeFolders(folder: string): Promise<boolean> {
  const make = async (): Promise<boolean> => {
    try {
      await mkdir(folder, { mode: 0o700 });
      return true;
    } catch (error) {
      if (errorCode(error) !== "EEXIST" || !(await stat(folder)).isDirectory()) throw error;
      return false;
    }
  };
  try {
    return await make();
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolders(dirname(folder));
    return make();
  }
}

// A host that keeps nothing on disk may run for weeks.
const MAX_MEMORY_RECORDS = 10_000;

interface MemoryRecorder extends Recorder {
  readonly entries: readonly JournalEntry[];
  readonly dropped: number;
}

/** Keeps the newest records in memory, for sessions that have no run folder. */
export function memoryRecorder(options: {
  readonly runId: string;
  readonly clock: () => number;
}): MemoryRecorder {
  const { runId, clock } = options;
  const entries: JournalEntry[] = [];
  let sequence = 0;
  return {
    runId,
    get entries() {
      return entries.slice(-MAX_MEMORY_RECORDS);
    },
    get dropped() {
      return Math.max(0, sequence - MAX_MEMORY_RECORDS);
    },
    append: async (record: SessionRecord): Promise<void> => {
      const { json, ...item } = createItem(record, runId, clock);
      sequence += 1;
      entries.push({ sequence, ...item, record: JSON.parse(json) as SessionRecord });
      // In lumps, because taking one off the front each time would move all the others.
      if (entries.length >= 2 * MAX_MEMORY_RECORDS) entries.splice(0, entries.length - MAX_MEMORY_RECORDS);
    },
  };
}

/** Turns a record into what a journal takes; refuses what it could not read back. */
function createItem(record: SessionRecord, runId: string, clock: () => number): JournalItem {
  const problems = checkRecord(record);
  if (problems === "unknown" || problems.length > 0) {
    const why = problems === "unknown" ? "it is of no known kind" : problems.join("; ");
    throw new SkilletError("record-invalid", `A record was not written: ${why}.`, { data: { problems } });
  }
  const item = { runId, time: new Date(clock()).toISOString(), ...shortenRecord(record) };
  if (Buffer.byteLength(item.json) <= MAX_RECORD_BYTES) return item;
  const message = `A record was not written: even shortened it has more than ${MAX_RECORD_BYTES} bytes.`;
  throw new SkilletError("record-invalid", message, { data: { kind: record.kind } });
}
