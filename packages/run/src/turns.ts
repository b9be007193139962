import { isInside } from "@skillet/kit/files";

/**
 * Grants each claim as soon as no held claim and no claim that waits longer blocks it.
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

  /** Returns the claim's release; `full` if too many wait, `cancelled` if the signal fires first. */
  async take(claim: Claim, signal?: AbortSignal): Promise<(() => void) | "full" | "cancelled"> {
    if (signal?.aborted) return "cancelled";
    if (!this.#isBlocked(claim, this.#claims(this.#waiting))) return this.#hold(claim);
    if (this.#waiting.length >= this.#maxWaiting) return "full";
    return new Promise((resolve) => {
      const waiting = {
        claim,
        start: () => {
          signal?.removeEventListener("abort", cancel);
          // Held from this moment, even though the caller hears of it later.
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

export interface FolderClaim {
  readonly given: readonly string[];
  /** The subset of `given` that it may write to. */
  readonly writable: readonly string[];
}

/**
 * Keeps a run out of folders that another run writes to: a script can swap a folder for a link, or remove a
 * mounted folder, while the next sandbox is being mounted. Runs that only read do not wait for one another.
 */
export function folderTurns(): Turns<FolderClaim> {
  const overlap = (some: readonly string[], others: readonly string[]): boolean =>
    some.some((folder) => others.some((other) => isInside(folder, other) || isInside(other, folder)));
  return new Turns(
    (claim, ahead) =>
      ahead.some((other) => overlap(claim.writable, other.given) || overlap(other.writable, claim.given)),
    Number.POSITIVE_INFINITY,
  );
}

// One queue for the whole process, across runners and sandboxes.
const turns = folderTurns();

/** Calls `run` in its turn, or immediately if the signal fires first, which `run` must then check. */
export async function inFolderTurn<Result>(
  job: Pick<FolderClaim, "writable"> & { readonly workspace?: string; readonly signal?: AbortSignal },
  run: (given: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const given = [...job.writable, ...(job.workspace === undefined ? [] : [job.workspace])];
  const release = await turns.take({ given, writable: job.writable }, job.signal);
  try {
    return await run(given);
  } finally {
    if (typeof release === "function") release();
  }
}
