/** Works through a list, at most so many at once; results come in the order of the list. */
export async function* inParallel<Item, Result>(
  items: readonly Item[],
  atMost: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const started: Promise<Result>[] = [];
  for (let next = 0; next < items.length; next += 1) {
    for (const item of items.slice(started.length, next + Math.max(1, atMost))) {
      const made = work(item);
      // One that fails before its turn is told of when that comes.
      made.catch(() => undefined);
      started.push(made);
    }
    yield await (started[next] as Promise<Result>);
  }
}
