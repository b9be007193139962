import { expect, test } from "vitest";
import { plainLayout } from "../testing/plain-layout.ts";
import { type CatalogRows, catalogTable } from "./catalog.ts";

function rows(changes: Partial<CatalogRows>): CatalogRows {
  return {
    shown: [],
    shortened: [],
    nameOnly: [],
    omitted: [],
    leftOut: [],
    skills: [],
    hidden: [],
    ...changes,
  };
}

test("skills stand by what became of them", () => {
  const skills = [
    { name: "whole", outcome: "shown", kept: 40, cut: 0 },
    { name: "half", outcome: "shortened", kept: 80, cut: 420 },
    { name: "hardly", outcome: "shortened", kept: 80, cut: 7 },
    { name: "bare", outcome: "name-only", kept: 0, cut: 300 },
    { name: "gone", outcome: "omitted", kept: 0, cut: 0 },
  ] as const;
  const hidden = [{ name: "deploy", reason: "only the user can invoke it" }];
  expect(catalogTable(rows({ skills, hidden }), plainLayout())).toEqual([
    "Whole 1",
    "  whole  40 characters",
    "",
    "Shortened 2",
    "  half  80 of 500 characters, 420 cut",
    "  hardly  80 of 87 characters, 7 cut",
    "",
    "By name only 1",
    "  bare  300 characters cut",
    "",
    "Left out 1",
    "  gone  0 characters",
    "",
    "Hidden from models 1",
    "  deploy  only the user can invoke it",
  ]);
});

test("everything that was left out is counted and named, also what was not tried", () => {
  const skills = [{ name: "gone", outcome: "omitted", kept: 0, cut: 30 }] as const;
  expect(catalogTable(rows({ skills, omitted: ["gone", "other"] }), plainLayout())).toEqual([
    "Left out 2",
    "  gone  30 characters cut",
    "  other  others suit the message better",
  ]);
});

test("a name that leaves no room stays whole, and the numbers stand below it", () => {
  const skills = [{ name: "a-rather-long-name-of-a-skill", outcome: "shortened", kept: 8, cut: 9 }] as const;
  expect(catalogTable(rows({ skills }), plainLayout(40))).toEqual([
    "Shortened 1",
    "  a-rather-long-name-of-a-skill",
    "    8 of 17 characters, 9 cut",
  ]);
});

test("of a library so many are listed, and the rest is counted", () => {
  const skills = Array.from({ length: 250 }, (_, index) => ({
    name: `s${index}`,
    outcome: "omitted" as const,
    kept: 0,
    cut: 5,
  }));
  const lines = catalogTable(rows({ skills }), plainLayout());
  expect(lines).toHaveLength(102);
  expect(lines[0]).toBe("Left out 250");
  expect(lines.at(-1)).toBe("  and 150 more: --json lists all");
});
