import fc from "fast-check";
import { expect, test } from "vitest";
import { newNameProblem } from "./plan-import.ts";

test.each(["a", "pdf-tools", "alpha-2"])("%s is a name", (name) => {
  expect(newNameProblem(name)).toBeUndefined();
});

test.each([
  ["Alpha_2", "alpha-2 would do"],
  ["  Über uns ", "uber-uns would do"],
  ["a--b", "a-b would do"],
  ["../x", "x would do"],
])("%s is none, and one that would do is named", (name, help) => {
  expect(newNameProblem(name)).toContain(help);
});

test("what is suggested is a name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      const near = / ([a-z0-9-]+) would do[.]$/.exec(newNameProblem(name) ?? "")?.[1];
      if (near !== undefined) expect(newNameProblem(near)).toBeUndefined();
    }),
  );
});
