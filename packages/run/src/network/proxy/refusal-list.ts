import type { NetworkRefusal } from "../network-refusal.ts";

const MAX_REFUSALS = 100;

/** Keeps what was refused, each once with its count, and no more than a hundred different ones. */
export class RefusalList {
  readonly #refusals = new Map<string, NetworkRefusal>();
  #unlisted = 0;

  get entries(): readonly NetworkRefusal[] {
    return [...this.#refusals.values()];
  }

  /** How many more there were, of others than those listed. */
  get unlisted(): number {
    return this.#unlisted;
  }

  add(refusal: Omit<NetworkRefusal, "count">): void {
    const key = `${refusal.reason} ${refusal.host} ${refusal.port}`;
    const known = this.#refusals.get(key);
    if (known === undefined && this.#refusals.size >= MAX_REFUSALS) this.#unlisted += 1;
    else this.#refusals.set(key, { ...refusal, count: (known?.count ?? 0) + 1 });
  }
}
