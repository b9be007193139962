import type { Verdict } from "@skillet/scan";
import { type Judgement, RANK } from "./judged.ts";
import type { ManifestRow } from "./manifest.ts";
import { type Rate, rateOf } from "./rate.ts";

/** A labelled skill and what was said of it. */
export interface JudgedRow extends ManifestRow, Judgement {}

/** How often rows of one kind were flagged, at both thresholds, by row and by group. */
export interface StratumScore {
  readonly name: string;
  readonly dangerous: Rate;
  readonly caution: Rate;
  readonly groups: number;
  /** The mean over groups of the share of their rows: a campaign of many copies counts once. */
  readonly dangerousByGroup: number;
  readonly cautionByGroup: number;
}

/** How well flags tell malicious rows from benign ones, at one threshold. */
export interface Separation {
  readonly recall: Rate;
  readonly precision: number;
  readonly f1: number;
}

/** Everything that is reported about a labelled set; rows of renamed twins count in their own strata only. */
export interface Score {
  readonly strata: readonly StratumScore[];
  readonly twins: readonly StratumScore[];
  readonly benign: readonly StratumScore[];
  readonly dangerous: Separation;
  readonly caution: Separation;
  readonly withoutSemantic: { readonly dangerous: Separation; readonly caution: Separation };
  /** Injected skills judged worse than their clean twin, and at least caution. */
  readonly pairs: Rate;
}

/** Scores judged rows. */
export function score(rows: readonly JudgedRow[]): Score {
  const twins = rows.filter(({ stratum }) => stratum.endsWith("-renamed"));
  const counted = rows.filter(({ stratum }) => !stratum.endsWith("-renamed"));
  const malicious = counted.filter(({ label }) => label === "malicious");
  const plain = counted.filter(({ stratum }) => stratum !== "nl-semantic");
  return {
    strata: byStratum(malicious),
    twins: byStratum(twins),
    benign: byStratum(counted.filter(({ label }) => label !== "malicious")),
    dangerous: separation(counted, "dangerous"),
    caution: separation(counted, "caution"),
    withoutSemantic: {
      dangerous: separation(plain, "dangerous"),
      caution: separation(plain, "caution"),
    },
    pairs: pairScore(counted),
  };
}

/** Whether a row is flagged at a threshold. */
export function isFlagged({ verdict }: Judgement, threshold: Verdict): boolean {
  return RANK[verdict] >= RANK[threshold];
}

function byStratum(rows: readonly JudgedRow[]): StratumScore[] {
  return [...new Set(rows.map(({ stratum }) => stratum))].sort().map((name) => {
    const members = rows.filter(({ stratum }) => stratum === name);
    const groups = [...new Set(members.map(({ group }) => group))];
    return {
      name,
      dangerous: flagged(members, "dangerous"),
      caution: flagged(members, "caution"),
      groups: groups.length,
      dangerousByGroup: meanOverGroups(members, groups, "dangerous"),
      cautionByGroup: meanOverGroups(members, groups, "caution"),
    };
  });
}

function flagged(rows: readonly JudgedRow[], threshold: Verdict): Rate {
  return rateOf(rows.filter((row) => isFlagged(row, threshold)).length, rows.length);
}

function meanOverGroups(rows: readonly JudgedRow[], groups: readonly string[], threshold: Verdict): number {
  const shares = groups.map(
    (name) =>
      flagged(
        rows.filter(({ group }) => group === name),
        threshold,
      ).share,
  );
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
}

function separation(rows: readonly JudgedRow[], threshold: Verdict): Separation {
  const malicious = rows.filter(({ label }) => label === "malicious");
  const recall = flagged(malicious, threshold);
  const all = rows.filter((row) => isFlagged(row, threshold)).length;
  const precision = all === 0 ? 0 : recall.hits / all;
  const f1 = precision + recall.share === 0 ? 0 : (2 * precision * recall.share) / (precision + recall.share);
  return { recall, precision, f1 };
}

function pairScore(rows: readonly JudgedRow[]): Rate {
  const clean = new Map<string, number>();
  for (const { label, group, verdict } of rows)
    if (label !== "malicious") clean.set(group, Math.max(clean.get(group) ?? 0, RANK[verdict]));
  const injected = rows.filter(
    ({ stratum, label, group }) =>
      label === "malicious" && stratum.startsWith("nl-inject-") && clean.has(group),
  );
  const told = injected.filter(
    (row) => isFlagged(row, "caution") && RANK[row.verdict] > (clean.get(row.group) ?? 0),
  );
  return rateOf(told.length, injected.length);
}
