import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { makeFolders, signalReaches } from "@skillet/kit/files";

/**
 * Marks scans that have begun. A mark that outlives its process means that the user had to kill the scan of
 * this content; scanned again at every start, the skill would hold up all others for ever.
 */
export class UnfinishedScans {
  readonly #directory: string | undefined;

  constructor(cacheDirectory: string | undefined) {
    this.#directory = cacheDirectory && join(cacheDirectory, "scanning");
  }

  /** Whether a scan of this content began in a process that has ended, and never finished. */
  has(content: Digest): boolean {
    const text = this.#directory && attempt(() => readFileSync(this.#fileOf(content), "utf8"));
    if (text === undefined) return false;
    const processId = /^[1-9]\d{0,9}\n$/.test(text) ? Number(text) : undefined;
    return processId === undefined || (processId !== process.pid && !signalReaches(processId));
  }

  /** Marks the content while it is scanned; a scan that fails or is aborted normally has also finished. */
  async during<Result>(content: Digest, scan: () => Promise<Result>): Promise<Result> {
    if (this.#directory === undefined) return scan();
    const file = this.#fileOf(content);
    // A read-only home remembers nothing, but does not prevent a scan.
    attempt(() => {
      makeFolders(dirname(file), 0o700);
      writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
    });
    try {
      return await scan();
    } finally {
      this.clear(content);
    }
  }

  clear(content: Digest): void {
    if (this.#directory !== undefined) attempt(() => rmSync(this.#fileOf(content), { force: true }));
  }

  #fileOf(content: Digest): string {
    return join(this.#directory ?? "", content.slice("sha256:".length));
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
