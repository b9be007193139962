/** Processes a list with bounded parallelism; results come in order and are released after their turn. */
export async function* inParallel<Item, Result>(
  items: readonly Item[],
  atMost: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  for (const item of items) {
    const made = work(item);
    // A failure before its turn is reported when the turn comes.
    made.catch(() => undefined);
    running.push(made);
    // Not `>= atMost`, which is never true of NaN.
    if (!(running.length < atMost)) yield await (running.shift() as Promise<Result>);
  }
  for (const made of running) yield await made;
}
