export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** A list of entries that may hold spaces, written as one text with commas between them. */
export function phrases(text: string): readonly string[] {
  return text.trim().split(/,\s+/);
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(words(text));
}

/**
 * A table of lines that name a kind and then the words that mean it, over further lines that are indented deeper where there
 * are many; of two lines with a word the first counts.
 */
export function wordTable<Kind extends string>(text: string): ReadonlyMap<string, Kind> {
  const table = new Map<string, Kind>();
  for (const line of text.trim().split(/\n(?! {6})/)) {
    const [kind = "", ...names] = words(line);
    for (const name of names) if (!table.has(name)) table.set(name, kind as Kind);
  }
  return table;
}

/** A table of lines that name a key and then its words, over further lines that are indented deeper. */
export function wordLists<Key extends string>(text: string): Readonly<Record<Key, readonly string[]>> {
  const rows = text.trim().split(/\n(?! {6})/);
  return Object.fromEntries(rows.map((row) => [words(row)[0], words(row).slice(1)])) as Record<Key, string[]>;
}

/** A name as registries and people write it: `PlantDiary`, `plant-diary`. */
export function squeeze(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Adds a value to the list of a key, as long as there is room. */
export function addTo<Key, Value>(
  lists: Map<Key, Value[]>,
  key: Key,
  value: Value,
  most: number = Number.POSITIVE_INFINITY,
): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else if (list.length < most) list.push(value);
}

/** What was made of a key before, or is made of it now. */
export function remembered<Key extends object, Value>(
  memory: WeakMap<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const value = make(key);
  memory.set(key, value);
  return value;
}

/** The first of those that are the same by a key. */
export function distinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const seen = new Set<string>();
  return items.filter((item) => seen.size < seen.add(keyOf(item)).size);
}
