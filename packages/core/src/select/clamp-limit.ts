/** No more skills are given for one message. */
const MAX_LIMIT = 50;

/** How many skills are given where a caller wants so many; of no number, none. */
export function clampLimit(limit: number): number {
  return limit > 0 ? Math.min(Math.floor(limit), MAX_LIMIT) : 0;
}
