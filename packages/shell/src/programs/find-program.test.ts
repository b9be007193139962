import { expect, test } from "vitest";
import { NAMED_FUNCTIONS } from "./find-program.ts";

test("no function of a program hides another one of that program", () => {
  const names = NAMED_FUNCTIONS.map(([name]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
