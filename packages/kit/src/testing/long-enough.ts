/**
 * Calls `attempt` with ever longer deadlines until it got as far as a test needs before its deadline.
 *
 * How long that takes depends on what else the machine is doing, so no fixed deadline fits.
 */
export async function longEnough<Result>(
  attempt: (deadlineMs: number) => Promise<Result>,
  gotFarEnough: (result: Result) => boolean,
): Promise<Result> {
  for (let deadlineMs = 300; ; deadlineMs *= 3) {
    const result = await attempt(deadlineMs);
    if (gotFarEnough(result) || deadlineMs > 60_000) return result;
  }
}
