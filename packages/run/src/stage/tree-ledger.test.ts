import { posix } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { TreeLedger } from "./tree-writer.ts";

const none = new Uint8Array(0);

test("a tree with too many files, folders, levels or bytes is refused", () => {
  const files = new TreeLedger();
  for (let index = 0; index < 20_000; index++) files.add({ path: `f${index}`, bytes: none });
  expect(() => files.add({ path: "more", bytes: none })).toThrow(
    expect.objectContaining({ code: "staging-too-large" }),
  );

  const folders = new TreeLedger();
  for (let index = 0; index < 10_000; index++) folders.add({ path: `a${index}/b/f`, bytes: none });
  expect(() => folders.add({ path: "a/f", bytes: none })).toThrow(
    expect.objectContaining({ code: "staging-too-large" }),
  );

  const bytes = { length: 300 * 1024 * 1024 } as Uint8Array;
  const heavy = new TreeLedger();
  heavy.add({ path: "a", bytes });
  expect(() => heavy.add({ path: "b", bytes })).toThrow(
    expect.objectContaining({ code: "staging-too-large" }),
  );

  expect(() => new TreeLedger().add({ path: "a/".repeat(64).concat("f"), bytes: none })).toThrow(
    expect.objectContaining({ code: "staging-path-refused" }),
  );
});

test("no path that is let through leaves the folder", () => {
  const part = fc.constantFrom("a", "..", ".", "", "/", "b\0", "c:", "..c", "\\");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const path = parts.join("/");
      try {
        new TreeLedger().add({ path, bytes: none });
      } catch (error) {
        expect(error).toMatchObject({ code: "staging-path-refused" });
        return;
      }
      expect(posix.resolve("/base/skill", path)).toBe(`/base/skill/${path}`);
    }),
  );
});
