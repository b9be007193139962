import { expect, test } from "vitest";
import { renderReport } from "./render-report.ts";
import type { Report } from "./report.ts";

const REPORT: Report = {
  schemaVersion: 2,
  machine: { node: "v20.19.0", platform: "linux x64", cpus: 2 },
  library: { skills: 200, seed: 1, bytes: 1_100_000, mix: { CRLF: 4, "flow map": 88 } },
  runs: 9,
  discovery: [
    { name: "loop", label: "readFileSync loop", found: 200, cpuMs: 10, wallMs: 12, ratio: 1 },
    { name: "cold", label: "skillet cold", found: 200, cpuMs: 31, wallMs: 40, ratio: 3.1, limit: 3 },
    { name: "warm", label: "skillet warm", found: 200, cpuMs: 8, wallMs: 9, ratio: 0.8, limit: 1 },
    { name: "a", label: "loader-a 1.0.0", found: 190, cpuMs: 250, wallMs: 300, ratio: 25 },
    { name: "b", label: "loader-b 2.0.0", failure: "needs Node 22" },
  ],
  peers: [{ package: "loader-a", how: "load()" }],
  fresh: {
    cold: { cpuMs: 40, wallMs: 44 },
    warm: { cpuMs: 12, wallMs: 13 },
    peakBytes: 90_000_000,
    limitBytes: 1_500_000_000,
  },
  startup: [{ name: "node", label: "node -e 0", cpuMs: 20, wallMs: 30, ratio: 1 }],
  problems: [],
};

test("the report shows ratios with their limits, and loaders that failed with the reason", () => {
  expect(renderReport(REPORT)).toMatchInlineSnapshot(`
    "200 skills, 1.1 MB of SKILL.md, seed 1
    Node v20.19.0 on linux x64, 2 CPUs; medians of 9 interleaved rounds
    Ratios are of processor time (user and system, all threads); wall time depends on what else the machine does
      flow map  88  44.0 %
      CRLF       4   2.0 %

    Discovery            found         cpu ms  wall ms  ratio            limit
    readFileSync loop      200           10.0     12.0   1.00
    skillet cold           200           31.0     40.0   3.10  <= 3.0 EXCEEDED
    skillet warm           200            8.0      9.0   0.80        <= 1.0 ok
    loader-a 1.0.0         190          250.0    300.0  25.00
    loader-b 2.0.0     FAILED:  needs Node 22

    Other clients:
      loader-a: load()

    Peak resident memory of a fresh process, cold then warm: 90.0 MB (limit 1500.0 MB, set for 100,000 skills)
    Its first calls took 40 ms cold and 12 ms warm of processor time

    Start-up (50 skills)  found  cpu ms  wall ms  ratio  limit
    node -e 0                      20.0     30.0   1.00

    Results are right."
  `);
});

test("another build stands beside this one, with what this one takes of its time", () => {
  const cold = {
    name: "cold",
    label: "cold",
    cpuMs: 30,
    wallMs: 0,
    ratio: 3,
    against: { cpuMs: 40, wallMs: 0 },
  };
  expect(renderReport({ ...REPORT, discovery: [cold] })).toMatch(
    /against ms {2}new\/old\ncold .* 40\.0 +0\.75$/m,
  );
});

test("wrong results are named last", () => {
  expect(renderReport({ ...REPORT, problems: ["one is missing"] })).toMatch(
    /WRONG RESULTS:\none is missing$/,
  );
});
