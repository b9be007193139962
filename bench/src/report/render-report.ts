import type { Cost } from "../measure/cost.ts";
import { renderTable } from "./render-table.ts";
import type { Report, Row } from "./report.ts";

/** The report for people: what was generated, the tables, and what is wrong. */
export function renderReport(report: Report): string {
  return [
    renderLibrary(report),
    renderRows("Discovery", report.discovery),
    ...(report.peers.length > 0 ? [renderPeerNotes(report)] : []),
    renderFresh(report),
    renderRows("Start-up (50 skills)", report.startup),
    report.problems.length === 0 ? "Results are right." : `WRONG RESULTS:\n${report.problems.join("\n")}`,
  ].join("\n\n");
}

function renderLibrary({ library, machine, runs }: Report): string {
  const share = (count: number): string => `${((100 * count) / library.skills).toFixed(1)} %`;
  const mix = Object.entries(library.mix)
    .toSorted(([, left], [, right]) => right - left)
    .map(([trait, count]) => [`  ${trait}`, String(count), share(count)]);
  const lines = [
    `${library.skills} skills, ${megabytes(library.bytes)} of SKILL.md, seed ${library.seed}`,
    `Node ${machine.node} on ${machine.platform}, ${machine.cpus} CPUs; medians of ${runs} interleaved rounds`,
    "Ratios are of processor time (user and system, all threads); wall time depends on what else the machine does",
    renderTable(mix),
  ];
  if (library.path !== undefined) lines.push(`Kept in ${library.path}`);
  return lines.join("\n");
}

function renderRows(title: string, rows: readonly Row[]): string {
  const compares = rows.some((row) => "against" in row);
  return renderTable([
    [title, "found", "cpu ms", "wall ms", "ratio", "limit", ...(compares ? ["against ms", "new/old"] : [])],
    ...rows.map((row) => {
      if ("failure" in row) return [row.label, "FAILED:", row.failure];
      const cells = [row.label, String(row.found ?? ""), ...times(row), row.ratio.toFixed(2), limit(row)];
      const { against } = row;
      if (against === undefined) return cells;
      return [...cells, against.cpuMs.toFixed(1), (row.cpuMs / against.cpuMs).toFixed(2)];
    }),
  ]);
}

function renderPeerNotes({ peers }: Report): string {
  return ["Other clients:", ...peers.map((peer) => `  ${peer.package}: ${peer.how}`)].join("\n");
}

function renderFresh({ fresh, library }: Report): string {
  const { peakBytes, limitBytes } = fresh;
  const applies = library.skills >= 100_000 ? verdict(peakBytes <= limitBytes) : "set for 100,000 skills";
  return [
    `Peak resident memory of a fresh process, cold then warm: ${megabytes(peakBytes)} (limit ${megabytes(limitBytes)}, ${applies})`,
    `Its first calls took ${fresh.cold.cpuMs.toFixed(0)} ms cold and ${fresh.warm.cpuMs.toFixed(0)} ms warm of processor time`,
  ].join("\n");
}

function times({ cpuMs, wallMs }: Cost): [string, string] {
  return [cpuMs.toFixed(1), wallMs.toFixed(1)];
}

function limit(row: { readonly ratio: number; readonly limit?: number }): string {
  return row.limit === undefined ? "" : `<= ${row.limit.toFixed(1)} ${verdict(row.ratio <= row.limit)}`;
}

function verdict(holds: boolean): string {
  return holds ? "ok" : "EXCEEDED";
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
