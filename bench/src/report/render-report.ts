import { renderTable } from "./render-table.ts";
import type { PeerRow, Report, Row } from "./report.ts";

/** The report for people: what was generated, the tables, and what is wrong. */
export function renderReport(report: Report): string {
  return [
    renderLibrary(report),
    renderDiscovery(report),
    ...(report.peers.length > 0 ? [renderPeerNotes(report.peers)] : []),
    renderMemory(report),
    renderStartup(report),
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
    renderTable(mix),
  ];
  if (library.path !== undefined) lines.push(`Kept in ${library.path}`);
  return lines.join("\n");
}

function renderDiscovery({ discovery, peers }: Report): string {
  return renderTable([
    ["Discovery", "found", "median ms", "ratio", "limit"],
    ...discovery.map((row) => [row.label, String(row.found ?? ""), ...times(row), limit(row)]),
    ...peers.map((peer) => [
      `${peer.package} ${peer.version}`,
      String(peer.found ?? "-"),
      ...(peer.medianMs === undefined || peer.ratio === undefined
        ? ["-", "-"]
        : times({ medianMs: peer.medianMs, ratio: peer.ratio })),
      "",
    ]),
  ]);
}

function renderPeerNotes(peers: readonly PeerRow[]): string {
  const notes = peers.map((peer) => {
    const failure = peer.failure === undefined ? "" : `; FAILED after ${peer.runs} runs: ${peer.failure}`;
    return `  ${peer.package}: ${peer.how}${failure}`;
  });
  return ["Peers, each in its own process, medians of 3:", ...notes].join("\n");
}

function renderMemory({ memory, library }: Report): string {
  if ("failure" in memory) return `Memory was not measured: ${memory.failure}`;
  const { peakBytes, limitBytes, coldMs, warmMs } = memory;
  const applies = library.skills >= 100_000 ? verdict(peakBytes <= limitBytes) : "set for 100,000 skills";
  return [
    `Peak resident memory of a fresh process, cold then warm: ${megabytes(peakBytes)} (limit ${megabytes(limitBytes)}, ${applies})`,
    `Its first calls took ${coldMs.toFixed(0)} ms cold and ${warmMs.toFixed(0)} ms warm`,
  ].join("\n");
}

function renderStartup({ startup }: Report): string {
  if ("failure" in startup) return `Start-up was not measured: ${startup.failure}`;
  return renderTable([
    ["Start-up (50 skills)", "median ms", "ratio", "limit"],
    ...startup.map((row) => [row.label, ...times(row), limit(row)]),
  ]);
}

function times({ medianMs, ratio }: Pick<Row, "medianMs" | "ratio">): [string, string] {
  return [medianMs.toFixed(1), ratio.toFixed(2)];
}

function limit(row: Row): string {
  return row.limit === undefined ? "" : `<= ${row.limit.toFixed(1)} ${verdict(row.ratio <= row.limit)}`;
}

function verdict(holds: boolean): string {
  return holds ? "ok" : "EXCEEDED";
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
