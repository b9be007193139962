/**
 * Lets a claim go as soon as nothing that is held, or has waited longer, is in its way; claims wait in the order of asking.
 *
 * @example
 * const slots = new Turns<undefined>((_, ahead) => ahead.length >= 4, 64); // four at once, 64 waiting
 */
export class Turns<Claim> {
  readonly #isBlocked: (claim: Claim, ahead: readonly Claim[]) => boolean;
  readonly #maxWaiting: number;
  readonly #held = new Set<{ readonly claim: Claim }>();
  readonly #waiting: { readonly claim: Claim; readonly start: () => void }[] = [];

  constructor(isBlocked: (claim: Claim, ahead: readonly Claim[]) => boolean, maxWaiting: number) {
    this.#isBlocked = isBlocked;
    this.#maxWaiting = maxWaiting;
  }

  /** Gives what ends the claim; `full` when too many wait already, `cancelled` when the signal fires first. */
  async take(claim: Claim, signal?: AbortSignal): Promise<(() => void) | "full" | "cancelled"> {
    if (signal?.aborted) return "cancelled";
    if (!this.#isBlocked(claim, this.#claims(this.#waiting))) return this.#hold(claim);
    if (this.#waiting.length >= this.#maxWaiting) return "full";
    return new Promise((resolve) => {
      const waiting = {
        claim,
        start: () => {
          signal?.removeEventListener("abort", cancel);
          // Held from this moment on, not from when its caller gets to know.
          resolve(this.#hold(claim));
        },
      };
      const cancel = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve("cancelled");
        this.#startWaiting();
      };
      this.#waiting.push(waiting);
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  #hold(claim: Claim): () => void {
    const held = { claim };
    this.#held.add(held);
    return () => {
      this.#held.delete(held);
      this.#startWaiting();
    };
  }

  #startWaiting(): void {
    for (let index = 0; index < this.#waiting.length; ) {
      const waiting = this.#waiting[index];
      if (waiting === undefined) return;
      if (this.#isBlocked(waiting.claim, this.#claims(this.#waiting.slice(0, index)))) index += 1;
      else {
        this.#waiting.splice(index, 1);
        waiting.start();
      }
    }
  }

  #claims(waiting: readonly { readonly claim: Claim }[]): Claim[] {
    return [...this.#held, ...waiting].map(({ claim }) => claim);
  }
}
