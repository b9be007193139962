import { setImmediate as nextTurn } from "node:timers/promises";

/** Memoises an async factory. A rejected or unsuccessful attempt is forgotten, so the next call retries. */
export function onceUntilSuccess<Value>(
  make: () => Promise<Value>,
  isSuccess: (value: Value) => boolean = () => true,
): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().then(
      (value) => {
        if (!isSuccess(value)) made = undefined;
        return value;
      },
      (error: unknown) => {
        made = undefined;
        throw error;
      },
    );
    return made;
  };
}

/** Memoises a function of one object; the result is released together with the object. */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}

/** Long enough to get work done, short enough for a busy server to answer other requests in between. */
const SLICE_SECONDS = 0.01;

let until: number | undefined;

/** All work in one turn of the event loop shares a slice. `performance` would have to be loaded first. */
function sliceEnd(): number {
  if (until !== undefined) return until;
  setImmediate(() => {
    until = undefined;
  });
  until = process.uptime() + SLICE_SECONDS;
  return until;
}

/** For long loops: awaited after each step, it yields the thread every 10 ms. */
export function createPause(signal?: AbortSignal): () => Promise<void> | undefined {
  sliceEnd();
  return () => (process.uptime() < sliceEnd() ? undefined : nextTurn().then(() => signal?.throwIfAborted()));
}

/** Runs work that yields wherever it may be interrupted, in slices; `atOnce` runs it without a break. */
export async function inSlices<Result>(work: Iterator<unknown, Result>): Promise<Result> {
  const pause = createPause();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

export function atOnce<Result>(work: Iterator<unknown, Result>): Result {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
