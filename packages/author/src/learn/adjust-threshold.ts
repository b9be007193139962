import { THRESHOLD_BOUNDS } from "@skillet/core";

/** So much evidence is imagined on both sides before any is seen: a few turns move little. */
const IMAGINED = 4;

/** A change that nobody would notice is none. */
const LEAST = 0.1;

/**
 * What a skill's threshold should be, in log-odds: 0 when it is used about as often as not, up to the bounds otherwise.
 *
 * It is the mean of a Beta distribution that began with `IMAGINED` turns on each side.
 */
export function adjustThreshold(evidence: { readonly inFavour: number; readonly against: number }): number {
  const odds = (evidence.inFavour + IMAGINED) / (evidence.against + IMAGINED);
  const { lowest, highest } = THRESHOLD_BOUNDS;
  const threshold = Math.min(highest, Math.max(lowest, -Math.log(odds)));
  return Math.abs(threshold) < LEAST ? 0 : Math.round(threshold * 100) / 100;
}
