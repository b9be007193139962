const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a over UTF-16 units; for tables only, where equal hashes are told apart by the text itself. */
export function hashText(text: string, start = 0, end: number = text.length): number {
  let sum = OFFSET;
  for (let index = start; index < end; index += 1) sum = hashUnit(sum, text.charCodeAt(index));
  return sum >>> 0;
}

/** One step of `hashText`, for callers that read a text unit by unit; begin with `HASH_START`. */
export function hashUnit(sum: number, unit: number): number {
  return Math.imul(sum ^ unit, PRIME);
}

export const HASH_START: number = OFFSET | 0;
