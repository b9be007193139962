import { expect, test } from "vitest";
import { parseManifest, partOf } from "./manifest.ts";

test("rows keep what is used of them, and are their own group where none is given", () => {
  const text = [
    '{"id":"a","path":"skills/a","label":"malicious","stratum":"wild","group":"g","twin":"b","source":"x"}',
    "",
    '{"id":"b","path":"skills/b","label":"benign","stratum":"benign"}',
  ].join("\n");
  expect(parseManifest(text)).toEqual([
    { id: "a", path: "skills/a", label: "malicious", stratum: "wild", group: "g", twin: "b" },
    { id: "b", path: "skills/b", label: "benign", stratum: "benign", group: "b" },
  ]);
});

test("a row that lacks something is refused with its line", () => {
  expect(() => parseManifest('\n{"id":"a","path":"p","label":"odd","stratum":"s"}')).toThrow(/Line 2/);
});

test("a third of the groups is held out, always the same", () => {
  const groups = Array.from({ length: 3_000 }, (_, index) => `group-${index}`);
  const held = groups.filter((group) => partOf(group) === "held").length;
  expect(held).toBeGreaterThan(900);
  expect(held).toBeLessThan(1_100);
  expect(["a", "b", "c", "d", "e"].map(partOf)).toEqual(["held", "tune", "held", "tune", "tune"]);
});
