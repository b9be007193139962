import type { Judgement } from "./judged.ts";
import { quantile } from "./quantile.ts";

/** Times of scans, their throughput and the memory that the process took at most. */
export interface Speed {
  /** Of the first of them, on the processor: it has parsers to load and tables to build. */
  readonly firstCpuMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly worstMs: number;
  readonly medianCpuMs: number;
  readonly p95CpuMs: number;
  readonly skillsPerSecond: number;
  readonly peakMegabytes: number;
}

/** Sums up how long scans took. */
export function speedOf(judgements: readonly Judgement[]): Speed {
  const milliseconds = judgements.map((judgement) => judgement.milliseconds);
  const onCpu = judgements.map(({ cpuMilliseconds }) => cpuMilliseconds);
  const total = milliseconds.reduce((sum, value) => sum + value, 0);
  return {
    firstCpuMs: onCpu[0] ?? 0,
    medianMs: quantile(milliseconds, 0.5),
    p95Ms: quantile(milliseconds, 0.95),
    worstMs: quantile(milliseconds, 1),
    medianCpuMs: quantile(onCpu, 0.5),
    p95CpuMs: quantile(onCpu, 0.95),
    skillsPerSecond: total === 0 ? 0 : (1000 * milliseconds.length) / total,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}

/** The same for people. */
export function renderSpeed(speed: Speed): string {
  const { firstCpuMs, medianMs, p95Ms, worstMs, medianCpuMs, p95CpuMs, skillsPerSecond, peakMegabytes } =
    speed;
  return [
    `Time a skill: median ${medianMs.toFixed(2)} ms (wanted ≤ 5), p95 ${p95Ms.toFixed(1)} ms (wanted ≤ 30), worst ${worstMs.toFixed(0)} ms`,
    `On the processor: median ${medianCpuMs.toFixed(2)} ms, p95 ${p95CpuMs.toFixed(1)} ms, first ${firstCpuMs.toFixed(0)} ms (wanted ≤ 150); ${skillsPerSecond.toFixed(0)} skills a second; peak ${peakMegabytes.toFixed(0)} MB`,
  ].join("\n");
}

/** Two passes over the same skills beside each other. */
export function renderPasses(first: Speed, second: Speed): string {
  return `First pass: ${renderPass(first)}; second pass: ${renderPass(second)}`;
}

function renderPass({ medianMs, p95Ms, medianCpuMs, p95CpuMs }: Speed): string {
  return `median ${medianMs.toFixed(2)} ms p95 ${p95Ms.toFixed(1)} ms (on the processor ${medianCpuMs.toFixed(2)} and ${p95CpuMs.toFixed(1)})`;
}
