import type { ConfigEntry } from "@skillet/core/internal";
import { describe, expect, test } from "vitest";
import { findConfigValue } from "./config.ts";

const user = { layer: "user", file: "/home/user/.skillet/config.yaml", line: 3 } as const;
const values: readonly ConfigEntry[] = [
  { key: "skills.scriptTimeout", value: 5000, origins: [user] },
  { key: "skills.limits.depth", value: 6, origins: [{ layer: "defaults" }] },
  { key: "skills.limits.entries", value: 9, origins: [{ layer: "defaults" }] },
  { key: 'skills.overrides."a.b"', value: { enabled: false }, origins: [user] },
];

describe("findConfigValue", () => {
  test("a key gives its value and where it was set", () => {
    expect(findConfigValue(values, "skills.scriptTimeout")).toEqual({
      key: "skills.scriptTimeout",
      value: 5000,
      origins: [user],
    });
  });

  test("a key below a value gives that part of it", () => {
    expect(findConfigValue(values, 'skills.overrides."a.b".enabled').value).toBe(false);
  });

  test("a key above values gives them together", () => {
    expect({ ...(findConfigValue(values, "skills.limits").value as object) }).toEqual({
      depth: 6,
      entries: 9,
    });
  });

  test.each(["skills.nothing", "constructor", "skills.overrides.a.b", "skills.scriptTimeout.x"])(
    "%s is no value",
    (key) => {
      expect(() => findConfigValue(values, key)).toThrow(
        expect.objectContaining({ code: "config-key-unknown", exitCode: 1 }),
      );
    },
  );
});
