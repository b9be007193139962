import { editDistance } from "@skillet/kit/nearest-name";

const MAX_SUGGESTIONS = 5;
// Bounds the quadratic comparison; longer names are not mistyped ones.
const MAX_COMPARED_LENGTH = 64;

/** The known names nearest to a mistyped one, best first. */
export function suggestNames(wanted: string, known: readonly string[]): string[] {
  const target = wanted.toLowerCase().slice(0, MAX_COMPARED_LENGTH);
  const limit = Math.max(1, Math.floor(target.length / 3));
  return known
    .map((name) => ({ name, distance: distanceTo(target, name.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((left, right) => left.distance - right.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

function distanceTo(target: string, name: string, limit: number): number {
  const bare = name.slice(name.lastIndexOf(":") + 1);
  if (bare === target) return 0;
  if (Math.min(target.length, bare.length) >= 3 && (bare.includes(target) || target.includes(bare))) return 1;
  if (Math.abs(bare.length - target.length) > limit) return limit + 1;
  return editDistance(target, bare.slice(0, MAX_COMPARED_LENGTH));
}
