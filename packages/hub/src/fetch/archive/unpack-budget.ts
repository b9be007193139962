import type { SkilletError } from "@skillet/kit/errors";
import type { HubLimits } from "../../hub-limits.ts";
import { archiveRefusal } from "./archive-refusal.ts";

// Small archives of very regular text are honest at any ratio.
const FREE_BYTES = 1024 * 1024;

/** What one archive may still unpack: entries, bytes, and bytes for each packed one. */
export class UnpackBudget {
  readonly name: string;
  readonly #limits: HubLimits;
  readonly #maxBytes: number;
  readonly #packedBytes: number;
  #entries = 0;
  #bytes = 0;

  constructor({
    name,
    packedBytes,
    limits,
  }: {
    readonly name: string;
    readonly packedBytes: number;
    readonly limits: HubLimits;
  }) {
    this.name = name;
    this.#limits = limits;
    this.#packedBytes = packedBytes;
    this.#maxBytes = Math.min(limits.maxUnpackedBytes, FREE_BYTES + packedBytes * limits.maxRatio);
  }

  /** Bytes that may still come out. */
  remainingBytes(): number {
    return this.#maxBytes - this.#bytes;
  }

  /** Counts an entry by its header, before any of its bytes are touched. */
  addEntry(path: string, { size }: { readonly size: number }): void {
    const { maxEntries, maxDepth, maxFileBytes, maxUnpackedBytes } = this.#limits;
    this.#entries += 1;
    this.#bytes += size;
    if (this.#entries > maxEntries) throw this.refuse(`it has more than ${maxEntries} entries`);
    if (path.split("/").length - 1 > maxDepth)
      throw this.refuse(`it lies more than ${maxDepth} folders deep`, path);
    if (size > maxFileBytes)
      throw this.refuse(`it has ${size} bytes; one file may have ${maxFileBytes}`, path);
    if (this.#bytes > maxUnpackedBytes)
      throw this.refuse(`with it, more than ${maxUnpackedBytes} bytes would be unpacked`, path);
    if (this.#bytes > this.#maxBytes)
      throw this.refuse(
        `with it, ${this.#packedBytes} packed bytes would become ${this.#bytes}, as in a bomb`,
        path,
      );
  }

  /** The error that ends the unpacking. */
  refuse(reason: string, entry?: string): SkilletError {
    return archiveRefusal(this.name, reason, entry);
  }
}
