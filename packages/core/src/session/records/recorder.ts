import { existsSync, lstatSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { onceUntilSuccess } from "@skillet/kit/async";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { makeFolders, syncDirectory } from "@skillet/kit/files";
import {
  appendJournal,
  encode,
  type JournalItem,
  type JournalPlace,
  readJournal,
  recordsInUse,
} from "./journal.ts";
import type { JournalStore } from "./journal-store.ts";
import { checkRecord, type RefusalRecord, type SessionRecord } from "./session-record.ts";
import { MAX_RECORD_BYTES, shortenRecord } from "./shorten-record.ts";

/** Takes records; a record is on disk when its promise resolves. */
export interface Recorder {
  readonly runId: string;
  readonly runFolder?: string;
  readonly store?: JournalStore;
  append(record: SessionRecord): Promise<void>;
  /** Releases the right to write. */
  close(): Promise<void>;
}

/** Releases the records if an action fails that the session cannot do without. */
export async function orClose<Result>(
  { close }: Pick<Recorder, "close">,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    await close();
    throw error;
  }
}

export function sessionEnded(runId: string): SkilletError {
  return new SkilletError("session-ended", "The session has ended; open another one.", { data: { runId } });
}

// The most characters that are written together, with one sync.
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;
const MAX_RUN_ID_CHARACTERS = 200;

/** Creates the folder, or leases the store. With `after`, only this recorder may write beyond that line. */
export async function openRecorder(options: {
  /** Without a place nothing is stored, but what a journal would refuse is still refused. */
  readonly runFolder: JournalPlace | undefined;
  readonly runId: string;
  readonly clock: () => number;
  readonly after?: number;
}): Promise<Recorder> {
  const { runId, after } = options;
  if (runId.length === 0 || runId.length > MAX_RUN_ID_CHARACTERS) {
    const message = `The id of a run has 1 to ${MAX_RUN_ID_CHARACTERS} characters, not ${runId.length}.`;
    throw new SkilletError("run-id-invalid", message, { data: { length: runId.length } });
  }
  if (options.runFolder === undefined) return { runId, ...recordWith(options) };
  if (typeof options.runFolder !== "string")
    return openStore(options.runFolder, { ...options, after: after ?? 0 });
  const runFolder = resolve(options.runFolder);
  await makeRunFolder(runFolder);
  let last = after;
  const countNote = (): void => {
    if (last !== undefined) last += 1;
  };
  const write = async (items: Items): Promise<void> => {
    const written = await appendJournal(runFolder, items, last, countNote);
    if (last !== undefined) last = written;
  };
  return { runId, runFolder, ...recordWith(options, write) };
}

async function openStore(store: JournalStore, given: Naming & { readonly after: number }): Promise<Recorder> {
  const { runId, after } = given;
  const release = await store.lease(runId);
  // Untyped hosts may return null or false.
  if (typeof release !== "function") throw recordsInUse(store);
  let last = after;
  await orClose({ close: release }, async () => {
    if ((await readJournal(store)).lastSequence !== after) throw recordsInUse(store, after);
  });
  const write = async (items: Items): Promise<void> => {
    await store.append(items.map((item, index) => encode(item, last + 1 + index)));
    last += items.length;
  };
  return { runId, store, ...recordWith(given, write, release) };
}

interface Naming {
  readonly runId: string;
  readonly clock: () => number;
}

interface Waiting {
  readonly item: JournalItem;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

type Items = readonly [JournalItem, ...JournalItem[]];

/** Writes in batches until the right to write is released: then another session may be writing. */
function recordWith(
  { runId, clock }: Naming,
  write?: (items: Items) => Promise<void>,
  release: () => Promise<void> = async () => undefined,
): Pick<Recorder, "append" | "close"> {
  const waiting: Waiting[] = [];
  let isClosed = false;
  let writing: Promise<void> | undefined;
  const nextBatch = (): readonly Waiting[] => {
    let characters = 0;
    const end = waiting.findIndex(({ item }, index) => {
      characters += item.json.length;
      return index > 0 && characters > MAX_BATCH_CHARACTERS;
    });
    return waiting.splice(0, end < 0 ? waiting.length : end);
  };
  const writeAll = async (): Promise<void> => {
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      try {
        await write?.(batch.map(({ item }) => item) as [JournalItem, ...JournalItem[]]);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    writing = undefined;
  };
  return {
    append: async (record) => {
      if (isClosed) throw sessionEnded(runId);
      if (write === undefined) return refuseInvalid(record);
      // Serialised immediately, so that later changes to the object are not recorded.
      const item = createItem(record, runId, clock);
      return new Promise<void>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        writing ??= writeAll();
      });
    },
    close: onceUntilSuccess(async () => {
      isClosed = true;
      await writing;
      await release();
    }),
  };
}

async function makeRunFolder(runFolder: string): Promise<void> {
  try {
    const isNew = !existsSync(runFolder);
    makeFolders(runFolder, 0o700);
    if (isNew) await syncDirectory(dirname(runFolder));
    // A project could place a link here and redirect the records.
    if (!lstatSync(runFolder).isSymbolicLink()) return;
  } catch (error) {
    const errno = errorCode(error) ?? "unknown error";
    const message = `The run folder ${runFolder} could not be made (${errno}); pass a folder that you can write.`;
    throw new SkilletError("records-unavailable", message, { data: { runFolder, errno }, cause: error });
  }
  const message = `The run folder ${runFolder} is a link, which is not followed; pass the folder that it leads to.`;
  throw new SkilletError("records-unavailable", message, { data: { runFolder } });
}

function createItem(record: SessionRecord, runId: string, clock: () => number): JournalItem {
  refuseInvalid(record);
  const item = { runId, time: new Date(clock()).toISOString(), ...shortenRecord(record) };
  if (Buffer.byteLength(item.json) <= MAX_RECORD_BYTES) return item;
  const message = `A record was not written: even shortened it has more than ${MAX_RECORD_BYTES} bytes.`;
  throw new SkilletError("record-invalid", message, { data: { kind: record.kind } });
}

// A record that could not be read back is not written.
function refuseInvalid(record: SessionRecord): void {
  const problems = checkRecord(record);
  if (problems !== "unknown" && problems.length === 0) return;
  const why = problems === "unknown" ? "its kind is not known" : problems.join("; ");
  throw new SkilletError("record-invalid", `A record was not written: ${why}.`, { data: { problems } });
}

const MAX_SUBJECT_CHARACTERS = 500;

export async function recordRefusal(
  recorder: Recorder,
  { what, subject, error, rule }: Omit<RefusalRecord, "kind" | "skillName">,
): Promise<void> {
  await recorder.append({
    kind: "refusal",
    what,
    subject: subject.slice(0, MAX_SUBJECT_CHARACTERS),
    error: { code: error.code, message: error.message },
    ...(rule !== undefined && { rule }),
  });
}

/** Runs an action; a refusal is recorded before it reaches the caller. */
export async function recordIfRefused<Result>(
  recorder: Recorder,
  asked: Pick<RefusalRecord, "what" | "subject">,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (SkilletError.isInstance(error)) await recordRefusal(recorder, { ...asked, error });
    throw error;
  }
}
