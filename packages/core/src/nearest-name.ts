import { editDistance } from "./edit-distance.ts";

const MAX_COMPARED_CHARACTERS = 64;

/** The candidate that a mistyped word most likely means, or undefined when none is close. */
export function nearestName(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_COMPARED_CHARACTERS) return undefined;
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance <= Math.max(1, Math.floor(name.length / 3)) && distance < (best?.distance ?? Infinity))
      best = { name, distance };
  }
  return best?.name;
}
