import fc from "fast-check";
import { expect, test } from "vitest";
import { formatKeyPath, parseKeyPath } from "./key-path.ts";

test("any path comes back as it was written", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (path) => {
      expect(parseKeyPath(formatKeyPath(path))).toEqual(path);
    }),
  );
});

test("plain keys are written without quotes", () => {
  expect(formatKeyPath(["skills", "overrides", "user:pdf", "enabled"])).toBe(
    "skills.overrides.user:pdf.enabled",
  );
  expect(formatKeyPath(["a.b", 'c"d'])).toBe('"a.b"."c\\"d"');
});

test.each(["", ".", "a.", ".a", "a..b", '"a', 'a"b', '"a"b'])("%j is refused", (key) => {
  expect(() => parseKeyPath(key)).toThrow("is not a dotted key");
});
