import type { TreeFile } from "@skillet/core";
import fc from "fast-check";
import { checkEntryPath, findCollisions } from "../../sources/entry-path.ts";

const segment = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/),
  fc.constantFrom(
    "1",
    "__proto__",
    "constructor",
    "é",
    "日本語",
    "🙂",
    "a b",
    "x".repeat(120),
    "y".repeat(60),
  ),
);
const path = fc
  .array(segment, { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join("/"))
  .filter((text) => checkEntryPath(text) === undefined);
const bytes = fc.oneof(fc.uint8Array({ maxLength: 1_200 }), fc.constant(new Uint8Array(3_000)));
const file: fc.Arbitrary<TreeFile> = fc.record({
  path,
  mode: fc.constantFrom("644" as const, "755" as const),
  bytes,
});

/** Trees that can be packed: SKILL.md and any other files, in any order. */
export const arbitraryTree: fc.Arbitrary<readonly TreeFile[]> = fc
  .tuple(fc.array(file, { maxLength: 12 }), bytes, fc.nat())
  .map(([files, skill, place]) => {
    const kept: TreeFile[] = [];
    for (const candidate of [{ path: "SKILL.md", mode: "644" as const, bytes: skill }, ...files])
      if (findCollisions([...kept, candidate].map((entry) => entry.path)) === undefined) kept.push(candidate);
    const shift = place % kept.length;
    return [...kept.slice(shift), ...kept.slice(0, shift)];
  });
