import type { SkilletError } from "@skillet/kit/errors";
import { expect, test } from "vitest";
import type { Finding } from "../finding/finding.ts";
import { applyBaseline, createBaseline, parseBaseline, renderBaseline } from "./baseline.ts";

const finding = (fingerprint: string): Finding => ({
  rule: "EX1",
  category: "execution",
  severity: "warn",
  file: "a.sh",
  line: 1,
  message: "m",
  evidence: "e",
  chain: [],
  remedy: "r",
  owasp: [],
  fingerprint,
});

test("a baseline is the same text whatever the order, and comes back from it", () => {
  const one = { skill: "b", findings: [finding("2"), finding("1"), finding("2")] };
  const two = { skill: "__proto__", findings: [finding("3")] };
  const text = renderBaseline(createBaseline([one, two, { skill: "c", findings: [] }]));
  expect(text).toBe(renderBaseline(createBaseline([two, one])));
  expect(text).toBe(
    '{\n  "version": 1,\n  "skills": {\n    "__proto__": [\n      "3"\n    ],\n    "b": [\n      "1",\n      "2"\n    ]\n  }\n}\n',
  );
  expect(renderBaseline(parseBaseline(text, { file: "b.json" }))).toBe(text);
});

test("only findings that are not in it are fresh, and only of that skill", () => {
  const baseline = createBaseline([{ skill: "a", findings: [finding("1")] }]);
  const findings = [finding("1"), finding("2")];
  expect(applyBaseline({ skill: "a", findings }, baseline)).toEqual({
    fresh: [findings[1]],
    known: [findings[0]],
  });
  expect(applyBaseline({ skill: "constructor", findings }, baseline)).toEqual({ fresh: findings, known: [] });
});

test.each(["", "[]", '{"version": 2, "skills": {}}', '{"version": 1, "skills": {"a": "b"}}'])(
  "%j is no baseline",
  (text) => {
    expect(() => parseBaseline(text, { file: "b.json" })).toThrow(
      expect.objectContaining({ code: "baseline-invalid" }) as SkilletError,
    );
  },
);
