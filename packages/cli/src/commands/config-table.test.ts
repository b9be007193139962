import { expect, test } from "vitest";
import { plainLayout } from "../testing/plain-layout.ts";
import { configTable } from "./config.ts";

const values = [
  {
    key: "skills.scriptTimeout",
    value: 5000,
    origins: [{ layer: "user", file: "/home/user/.skillet/config.yaml", line: 3 }],
  },
  { key: "policy.mode", value: "de\x1bfault", origins: [{ layer: "defaults" }] },
  { key: "skills.precedence", value: ["user"], origins: [{ layer: "environment" }] },
] as const;

test("what was set names its place, and defaults do not", () => {
  expect(configTable(values, plainLayout(60))).toEqual([
    "skills.scriptTimeout  5000",
    "  set by user, ~/.skillet/config.yaml:3",
    "policy.mode           de␛fault",
    'skills.precedence     ["user"]',
    "  set by environment",
  ]);
});

test("a list that is too long for its line goes on below it", () => {
  const value = ["project", "user", "bundled"];
  const lines = configTable([{ key: "skills.precedence", value, origins: [{ layer: "defaults" }] }], {
    ...plainLayout(40),
  });
  expect(lines).toEqual(['skills.precedence  ["project", "user",', '                   "bundled"]']);
});

test("on a narrow screen values stand below their keys", () => {
  expect(configTable(values.slice(1, 2), plainLayout(24))).toEqual(["policy.mode", "    de␛fault"]);
});
