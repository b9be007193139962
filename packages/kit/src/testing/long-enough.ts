/**
 * Calls `attempt` with ever longer deadlines until it gets as far as a test needs before its deadline.
 *
 * That depends on the machine's load, so no fixed deadline fits.
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
