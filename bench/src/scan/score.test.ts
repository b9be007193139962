import { expect, test } from "vitest";
import { rateOf } from "./rate.ts";
import { renderMisses, renderScore } from "./render-score.ts";
import { type JudgedRow, score } from "./score.ts";

function row(id: string, changes: Partial<JudgedRow>): JudgedRow {
  return {
    id,
    path: id,
    label: "malicious",
    stratum: "wild",
    group: id,
    verdict: "safe",
    milliseconds: 1,
    cpuMilliseconds: 1,
    rules: [],
    places: [],
    ...changes,
  };
}

const ROWS: readonly JudgedRow[] = [
  row("w1", { group: "campaign", verdict: "dangerous" }),
  row("w2", { group: "campaign", verdict: "dangerous" }),
  row("w3", { verdict: "caution", rules: ["PI4"] }),
  row("w1-renamed", { stratum: "wild-renamed", verdict: "safe", twin: "w1" }),
  row("s1", { stratum: "nl-semantic" }),
  row("i1", { stratum: "nl-inject-obvious", group: "pair-1", verdict: "caution" }),
  row("c1", { stratum: "benign", label: "benign", group: "pair-1" }),
  row("i2", { stratum: "nl-inject-obvious", group: "pair-2", verdict: "caution" }),
  row("c2", { stratum: "benign", label: "benign", group: "pair-2", verdict: "caution" }),
  row("i3", { stratum: "nl-inject-obvious", group: "pair-3", verdict: "dangerous" }),
  row("t1", { stratum: "benign-tricky", label: "benign-tricky", verdict: "dangerous", rules: ["EX1!"] }),
];

test("strata are counted by row and by group, twins apart from all totals", () => {
  const { strata, twins, benign, dangerous, withoutSemantic } = score(ROWS);
  expect(strata.find(({ name }) => name === "wild")).toEqual({
    name: "wild",
    dangerous: rateOf(2, 3),
    caution: rateOf(3, 3),
    groups: 2,
    dangerousByGroup: 0.5,
    cautionByGroup: 1,
  });
  expect(twins.map(({ name, dangerous: rate }) => [name, rate.hits, rate.total])).toEqual([
    ["wild-renamed", 0, 1],
  ]);
  expect(benign.map(({ name, caution }) => [name, caution.hits, caution.total])).toEqual([
    ["benign", 1, 2],
    ["benign-tricky", 1, 1],
  ]);
  expect(dangerous).toEqual({
    recall: rateOf(3, 7),
    precision: 0.75,
    f1: (2 * 0.75 * (3 / 7)) / (0.75 + 3 / 7),
  });
  expect(withoutSemantic.dangerous.recall).toEqual(rateOf(3, 6));
});

test("a pair is told apart where the injected skill is flagged and its clean twin is judged better", () => {
  expect(score(ROWS).pairs).toEqual(rateOf(1, 2));
});

test("misses and false alarms are listed with what fired", () => {
  const text = renderMisses(ROWS);
  expect(text).toMatch(/caution {4}wild {18}w3 +PI4/);
  expect(text).toMatch(/dangerous {2}benign-tricky {9}t1 +EX1!/);
  expect(renderScore(score(ROWS))).toContain("told from their clean twins: 1 of 2");
});

test("nothing at all is scored without a fault", () => {
  expect(score([]).dangerous).toEqual({ recall: rateOf(0, 0), precision: 0, f1: 0 });
});
