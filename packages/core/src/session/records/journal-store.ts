import { SkilletError } from "@skillet/kit/errors";

/**
 * Where a session records, for hosts that do not keep records in folders. A session is the only writer while
 * it holds the lease; its `close()` releases it.
 */
export interface JournalStore {
  /** Appends lines of JSON: all, or none if it throws. They are stored when the promise resolves. */
  append(lines: readonly string[]): Promise<void>;
  /** Every line, oldest first. */
  read(): AsyncIterable<string> | Iterable<string>;
  /** Takes the right to write and returns its release; undefined if another session has it. */
  lease(runId: string): Promise<(() => Promise<void>) | undefined>;
  /** The journal of a fork. */
  child(runId: string): JournalStore;
}

/** A journal in memory, for tests and for hosts whose records need not outlive the process. */
export interface MemoryJournal extends JournalStore {
  read(): readonly string[];
  child(runId: string): MemoryJournal;
}

/**
 * Keeps a journal in memory, by default up to 16 million characters.
 *
 * @example
 * const records = memoryJournal();
 * const session = await skills.session({ records });
 * console.log(records.read().map((line) => JSON.parse(line).record.kind)); // [ 'policy' ]
 */
export function memoryJournal(options: { readonly maxCharacters?: number } = {}): MemoryJournal {
  const { maxCharacters = 16_000_000 } = options;
  const lines: string[] = [];
  const children = new Map<string, MemoryJournal>();
  let characters = 0;
  let isLeased = false;
  return {
    append: async (added) => {
      const more = added.join("").length;
      if (characters + more > maxCharacters) {
        const message = `The journal in memory takes ${maxCharacters} characters, and is full; start a new run.`;
        throw new SkilletError("records-full", message, { data: { maxCharacters } });
      }
      characters += more;
      lines.push(...added);
    },
    read: () => [...lines],
    lease: async () => {
      if (isLeased) return undefined;
      isLeased = true;
      return async () => {
        isLeased = false;
      };
    },
    child: (runId) => {
      const child = children.get(runId) ?? memoryJournal(options);
      children.set(runId, child);
      return child;
    },
  };
}
