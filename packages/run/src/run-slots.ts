/** Lets a bounded number of runs go at once, and a bounded number wait, in order. */
export class RunSlots {
  readonly #concurrent: number;
  readonly #waiting: number;
  #taken = 0;
  readonly #queue: (() => void)[] = [];

  constructor(bounds: { readonly concurrent: number; readonly waiting: number }) {
    this.#concurrent = bounds.concurrent;
    this.#waiting = bounds.waiting;
  }

  /** Runs an action when there is room; `full` when too many wait already, `cancelled` when the signal fires first. */
  async use<Result>(
    signal: AbortSignal | undefined,
    action: () => Promise<Result>,
  ): Promise<Result | "full" | "cancelled"> {
    if (signal?.aborted) return "cancelled";
    if (this.#taken >= this.#concurrent) {
      if (this.#queue.length >= this.#waiting) return "full";
      if ((await this.#wait(signal)) === "cancelled") return "cancelled";
    } else this.#taken++;
    try {
      return await action();
    } finally {
      this.#release();
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<"ready" | "cancelled"> {
    return new Promise((resolve) => {
      const ready = (): void => {
        signal?.removeEventListener("abort", cancel);
        resolve("ready");
      };
      const cancel = (): void => {
        this.#queue.splice(this.#queue.indexOf(ready), 1);
        resolve("cancelled");
      };
      this.#queue.push(ready);
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  // The place goes over to the next one, so that nobody who comes now can take it first.
  #release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#taken--;
    else next();
  }
}
