import { setImmediate as nextTurn } from "node:timers/promises";

/** Memoises an async factory. A rejected attempt is forgotten, so the next call retries. */
export function onceUntilSuccess<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Long enough to get work done, short enough that a server which does it answers others meanwhile. */
const SLICE_MS = 10;

/** For long loops: awaited after each step, it hands the thread back every 10 ms. */
export function createPause(signal?: AbortSignal): () => Promise<void> | undefined {
  let until = performance.now() + SLICE_MS;
  const hand = async (): Promise<void> => {
    await nextTurn();
    signal?.throwIfAborted();
    until = performance.now() + SLICE_MS;
  };
  return () => (performance.now() < until ? undefined : hand());
}

/** Work that yields wherever it may be interrupted, run in slices; `atOnce` runs the same without a break. */
export async function inSlices<Result>(
  work: Iterator<unknown, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const pause = createPause(signal);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const wait = pause();
    if (wait !== undefined) await wait;
  }
}

export function atOnce<Result>(work: Iterator<unknown, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
