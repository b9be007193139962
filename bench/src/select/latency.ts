import { quantile } from "../scan/quantile.ts";
import { createSelector } from "./product.ts";
import type { TriggerSet } from "./trigger-set.ts";

/** How long one message takes, reasons included, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

const WARM_UP = 200;

/** Times `select` as a host calls it, on every message of the set. */
export async function measureLatency(set: TriggerSet): Promise<Latency> {
  const bodies = new Map(set.skills.map(({ skill, body }) => [skill, body]));
  const selector = await createSelector([...bodies.keys()], { readBody: (skill) => bodies.get(skill) });
  for (const { text } of set.queries.slice(0, WARM_UP)) selector.select(text);
  const times = set.queries.map(({ text }) => {
    const start = performance.now();
    selector.select(text);
    return performance.now() - start;
  });
  return latencyOf(times);
}

export function latencyOf(times: readonly number[]): Latency {
  return { p50: quantile(times, 0.5), p90: quantile(times, 0.9), p99: quantile(times, 0.99) };
}
