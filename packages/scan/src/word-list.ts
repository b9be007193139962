export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** A list of entries that may contain spaces, written as one text separated by commas. */
export function phrases(text: string): readonly string[] {
  return text.trim().split(/,\s+/);
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(words(text));
}

/**
 * A table whose lines name a kind and then its words, continued on lines with deeper indentation. The first
 * line that contains a word counts.
 */
export function wordTable<Kind extends string>(text: string): ReadonlyMap<string, Kind> {
  const table = new Map<string, Kind>();
  for (const line of text.trim().split(/\n(?! {6})/)) {
    const [kind = "", ...names] = words(line);
    for (const name of names) if (!table.has(name)) table.set(name, kind as Kind);
  }
  return table;
}

/** A table whose lines name a key and then its words, continued on lines with deeper indentation. */
export function wordLists<Key extends string>(text: string): Readonly<Record<Key, readonly string[]>> {
  const rows = text.trim().split(/\n(?! {6})/);
  return Object.fromEntries(rows.map((row) => [words(row)[0], words(row).slice(1)])) as Record<Key, string[]>;
}

/** Normalises a name, as registries and people write it: `PlantDiary`, `plant-diary`. */
export function squeeze(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Adds a value to a key's list, if there is room. */
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

/** The cached value for a key, made on first use. */
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

/** The first item for each key. */
export function distinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const seen = new Set<string>();
  return items.filter((item) => seen.size < seen.add(keyOf(item)).size);
}
