const BUCKETS = 1024;

/**
 * A score that `count` or a few more reach, of those above 0.
 *
 * By a histogram: sorting a hundred thousand scores takes longer than all else that a message costs.
 */
export function scoreReachedBy(scores: Float32Array, count: number): number {
  let most = 0;
  for (let index = 0; index < scores.length; index += 1) {
    const score = scores[index] as number;
    if (score > most) most = score;
  }
  if (most === 0) return 0;
  const buckets = new Uint32Array(BUCKETS);
  const scale = (BUCKETS - 1) / most;
  for (let index = 0; index < scores.length; index += 1) {
    const bucket = ((scores[index] as number) * scale) | 0;
    buckets[bucket] = (buckets[bucket] as number) + 1;
  }
  let reached = 0;
  for (let bucket = BUCKETS - 1; bucket > 0; bucket -= 1) {
    reached += buckets[bucket] as number;
    // Rounding may put a score just below its bucket's edge.
    if (reached >= count) return (bucket / scale) * (1 - 1e-6);
  }
  return 0;
}
