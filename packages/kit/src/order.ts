/**
 * Compares in byte order. JavaScript compares UTF-16 units, which puts characters beyond U+FFFF before
 * U+E000; digests and listings must not depend on that.
 */
export function compareByteOrder(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Sorts in place by the byte order of a key; uses the engine's own comparison if the result is the same. */
export function sortByByteOrder<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  if (items.some((item) => SURROGATE.test(keyOf(item))))
    return items.sort((left, right) => compareByteOrder(keyOf(left), keyOf(right)));
  return items.sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : keyOf(left) > keyOf(right) ? 1 : 0));
}

const SURROGATE = /[\ud800-\udfff]/;

// Surrogates encode code points above all others, so they sort after U+E000 to U+FFFF.
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
