import { median } from "./median.ts";

/** What something took: processor time of the whole process, with all its threads, and time on the clock. */
export interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** Runs something once, and waits for what it returns. */
export async function costOf(run: () => unknown): Promise<Cost> {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  await run();
  const wallMs = Number(process.hrtime.bigint() - start) / 1e6;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1e3, wallMs };
}

/** The median of each figure by itself. */
export function medianCost(costs: readonly Cost[]): Cost {
  return {
    cpuMs: median(costs.map(({ cpuMs }) => cpuMs)),
    wallMs: median(costs.map(({ wallMs }) => wallMs)),
  };
}
