import type { SelectedSkill } from "../selector.ts";

/**
 * Moves the probabilities of ranked skills by what use has taught, and puts them in order again.
 *
 * Each moves by its own threshold and no further, so that a skill that is offered less often does not drag down those
 * behind it, nor fall below what is left of it. None passes another by being used often: it must fit the message better.
 */
export function applyLearned(
  ranked: readonly SelectedSkill[],
  thresholdOf: (one: SelectedSkill) => number,
): readonly SelectedSkill[] {
  let before = 1;
  const moved = ranked.map((one) => {
    const score = Math.min(before, raise(one.score, thresholdOf(one)));
    before = one.score;
    return { ...one, score };
  });
  return moved.sort((left, right) => right.score - left.score);
}

function raise(probability: number, threshold: number): number {
  return probability / (probability + (1 - probability) * Math.exp(threshold));
}
