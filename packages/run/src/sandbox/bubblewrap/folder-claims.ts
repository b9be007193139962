import { isInside } from "@skillet/kit/files";

/** What a run is given of the host. */
export interface FolderClaim {
  readonly given: readonly string[];
  /** Of those, what it may write. */
  readonly writable: readonly string[];
}

interface Waiting {
  readonly claim: FolderClaim;
  readonly start: () => void;
}

/**
 * Keeps a run out of folders while another one writes there: a script can swap a folder for a link under the hands of
 * what mounts the next sandbox, and take away what is mounted in it. Runs that only read do not wait for one another.
 */
export class FolderClaims {
  readonly #held = new Set<FolderClaim>();
  readonly #waiting: Waiting[] = [];

  /** Settles when nobody is in the way, in the order of asking, or when the signal fires; gives what ends the claim. */
  async take(claim: FolderClaim, signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted) return () => undefined;
    const ahead = [...this.#held, ...this.#waiting.map((waiting) => waiting.claim)];
    if (
      ahead.some((other) => areInConflict(claim, other)) &&
      (await this.#wait(claim, signal)) === "cancelled"
    )
      return () => undefined;
    this.#held.add(claim);
    return () => {
      this.#held.delete(claim);
      this.#startWaiting();
    };
  }

  #wait(claim: FolderClaim, signal: AbortSignal | undefined): Promise<"ready" | "cancelled"> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        claim,
        start: () => {
          signal?.removeEventListener("abort", cancel);
          // Held from this moment on, not from when its caller gets to know.
          this.#held.add(claim);
          resolve("ready");
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

  #startWaiting(): void {
    const earlier: FolderClaim[] = [];
    for (const waiting of [...this.#waiting]) {
      if ([...this.#held, ...earlier].some((other) => areInConflict(waiting.claim, other))) {
        earlier.push(waiting.claim);
        continue;
      }
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.start();
    }
  }
}

function areInConflict(one: FolderClaim, other: FolderClaim): boolean {
  return doOverlap(one.writable, other.given) || doOverlap(other.writable, one.given);
}

function doOverlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((folder) => others.some((other) => isInside(folder, other) || isInside(other, folder)));
}
