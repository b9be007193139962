import { expect, test } from "vitest";
import { renderReport } from "./render-report.ts";
import type { Report } from "./report.ts";

const REPORT: Report = {
  schemaVersion: 1,
  machine: { node: "v20.19.0", platform: "linux x64", cpus: 2 },
  library: { skills: 200, seed: 1, bytes: 1_100_000, mix: { CRLF: 4, "flow map": 88 } },
  runs: 7,
  discovery: [
    { name: "loop", label: "readFileSync loop", found: 200, medianMs: 10, ratio: 1 },
    { name: "cold", label: "skillet cold", found: 200, medianMs: 31, ratio: 3.1, limit: 3 },
    { name: "warm", label: "skillet warm", found: 200, medianMs: 8, ratio: 0.8, limit: 1 },
  ],
  peers: [
    {
      name: "a",
      package: "loader-a",
      version: "1.0.0",
      how: "load()",
      runs: 3,
      found: 190,
      medianMs: 250,
      ratio: 25,
    },
    { name: "b", package: "loader-b", version: "2.0.0", how: "list", runs: 0, failure: "needs Node 22" },
  ],
  memory: { found: 200, coldMs: 40, warmMs: 12, peakBytes: 90_000_000, limitBytes: 1_500_000_000 },
  startup: { failure: "not built" },
  problems: [],
};

test("the report shows ratios with their limits, and peers that failed with the reason", () => {
  expect(renderReport(REPORT)).toMatchInlineSnapshot(`
    "200 skills, 1.1 MB of SKILL.md, seed 1
    Node v20.19.0 on linux x64, 2 CPUs; medians of 7 interleaved rounds
      flow map  88  44.0 %
      CRLF       4   2.0 %

    Discovery          found  median ms  ratio            limit
    readFileSync loop    200       10.0   1.00
    skillet cold         200       31.0   3.10  <= 3.0 EXCEEDED
    skillet warm         200        8.0   0.80        <= 1.0 ok
    loader-a 1.0.0       190      250.0  25.00
    loader-b 2.0.0         -          -      -

    Peers, each in its own process, medians of 3:
      loader-a: load()
      loader-b: list; FAILED after 0 runs: needs Node 22

    Peak resident memory of a fresh process, cold then warm: 90.0 MB (limit 1500.0 MB, set for 100,000 skills)
    Its first calls took 40 ms cold and 12 ms warm

    Start-up was not measured: not built

    Results are right."
  `);
});

test("wrong results are named last", () => {
  expect(renderReport({ ...REPORT, problems: ["one is missing"] })).toMatch(
    /WRONG RESULTS:\none is missing$/,
  );
});
