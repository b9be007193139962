import fc from "fast-check";
import { expect, test } from "vitest";
import { resolvePath } from "./resolve-path.ts";

test.each([
  ["a/b", "/c", "/c/a/b"],
  ["../b/", "/c/d", "/c/b"],
  ["/a//b/./c/..", undefined, "/a/b"],
  ["../../../..", "/c", "/"],
  ["a", undefined, undefined],
  ["a", "c", undefined],
  ["", "/c", undefined],
  ["a\0", "/c", undefined],
  ["memory:kit/greet/../wave/SKILL.md", undefined, "memory:kit/wave/SKILL.md"],
  ["C:\\a\\..\\b", undefined, "C:/b"],
  ["b\\c", "C:/a", "C:/a/b/c"],
  ["\\\\server\\share\\a", undefined, "\\\\server/share/a"],
  ["\\a", "/c", "/c/\\a"],
])("%j from %j is %j", (path, cwd, resolved) => {
  expect(resolvePath(path, cwd)).toBe(resolved);
});

test("a resolved path has a root, no steps back and no end, and stays as it is", () => {
  const parts = fc.array(
    fc.oneof(fc.constantFrom("..", ".", "", "a", "C:", "\\", "~"), fc.string({ maxLength: 4 })),
  );
  fc.assert(
    fc.property(parts, fc.constantFrom("/", "\\"), (segments, separator) => {
      const resolved = resolvePath(segments.join(separator), "/w/x");
      if (resolved === undefined) return;
      expect(resolved).not.toMatch(/\0|(?:^|\/)\.\.?(?:\/|$)|[^:]\/$/);
      expect(resolvePath(resolved, undefined)).toBe(resolved);
    }),
  );
});
