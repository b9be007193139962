import { type SkillFile, scanSkill, type Verdict } from "@skillet/scan";

/** What a scan said of one skill, and how long it took. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly milliseconds: number;
  /** Time on a processor, of all threads: what other programs do at the same time counts less in it. */
  readonly cpuMilliseconds: number;
  /** Rules with a critical finding or a warning, each with its worst severity, such as `EX1!` and `PI4`. */
  readonly rules: readonly string[];
  /** Where the critical findings stand, as `rule file:line`. */
  readonly places: readonly string[];
}

/** Verdicts from best to worst. */
export const RANK: Readonly<Record<Verdict, number>> = { safe: 0, caution: 1, dangerous: 2 };

const MAX_PLACES = 5;

/** Scans one skill, timed without reading its files. */
export async function judge(files: readonly SkillFile[]): Promise<Judgement> {
  const start = performance.now();
  const startUsage = process.cpuUsage();
  const { verdict, findings, coverage } = await scanSkill(files);
  const milliseconds = performance.now() - start;
  const { user, system } = process.cpuUsage(startUsage);
  const critical = findings.filter(({ severity }) => severity === "critical");
  const worst = new Set(critical.map(({ rule }) => rule));
  const warned = new Set(findings.filter(({ severity }) => severity === "warn").map(({ rule }) => rule));
  const counting =
    verdict === "dangerous" ? critical : findings.filter(({ severity }) => severity === "warn");
  return {
    verdict,
    milliseconds,
    cpuMilliseconds: (user + system) / 1000,
    rules: [
      ...[...worst].map((rule) => `${rule}!`),
      ...[...warned].filter((rule) => !worst.has(rule)),
      ...(coverage.some(({ state }) => state !== "read") ? ["unread"] : []),
    ],
    places: counting.slice(0, MAX_PLACES).map(({ rule, file, line }) => `${rule} ${file}:${line}`),
  };
}
