/** Works through a list, at most so many at once; results come in the order of the list, and none is held after its turn. */
export async function* inParallel<Item, Result>(
  items: readonly Item[],
  atMost: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  for (const item of items) {
    const made = work(item);
    // One that fails before its turn is told of when that comes.
    made.catch(() => undefined);
    running.push(made);
    // Not `>= atMost`, which is never true of NaN.
    if (!(running.length < atMost)) yield await (running.shift() as Promise<Result>);
  }
  for (const made of running) yield await made;
}
