import { type Inflated, inflate, type Packing } from "@skillet/kit/archive";
import type { ScanLimits } from "../scan-limits.ts";

/** Limits unpacking and decoding. All files of a skill share one budget, so that many small bombs count as one. */
export class ScanBudget {
  readonly limits: ScanLimits;
  #bytes = 0;
  #entries = 0;
  #derived = 0;
  readonly #exhausted = new Set<string>();

  constructor(limits: ScanLimits) {
    this.limits = limits;
  }

  /** Takes bytes that were or will be unpacked; returns false, and remembers it, if they are too many. */
  takeBytes(count: number): boolean {
    if (count > this.bytesLeft)
      return this.#refuse(`more than ${this.limits.maxUnpackedBytes} bytes unpacked`);
    this.#bytes += count;
    return true;
  }

  get bytesLeft(): number {
    return Math.max(0, this.limits.maxUnpackedBytes - this.#bytes);
  }

  get inflateLimit(): number {
    return Math.min(this.bytesLeft, this.limits.maxFileBytes);
  }

  inflate(bytes: Uint8Array, packing: Packing): Inflated {
    const inflated = inflate(bytes, packing, { maxBytes: this.inflateLimit });
    if ("bytes" in inflated) this.takeBytes(inflated.bytes.length);
    return inflated;
  }

  takeEntry(): boolean {
    const { maxArchiveEntries: most } = this.limits;
    return this.#entries++ < most || this.#refuse(`more than ${most} members of archives`);
  }

  takeDerived(): boolean {
    const { maxDerivedTexts: most } = this.limits;
    return this.#derived++ < most || this.#refuse(`more than ${most} decoded texts`);
  }

  allowsDepth(depth: number): boolean {
    return depth < this.limits.maxDepth || this.#refuse(`nested deeper than ${this.limits.maxDepth}`);
  }

  get exhausted(): readonly string[] {
    return [...this.#exhausted].sort();
  }

  #refuse(reason: string): false {
    this.#exhausted.add(reason);
    return false;
  }
}
