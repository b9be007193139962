import { expect, test } from "vitest";
import { byName } from "../table/program-row.ts";
import { functionColumns } from "./find-program.ts";

test("no function of a program hides another one of that program", () => {
  const names = functionColumns().flatMap((column) => byName(column).map(([name]) => name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
