import { expect, test } from "vitest";
import { findRebinding } from "./find-rebinding.ts";

test.each([
  "set -- push; git 'log'",
  "\\set -- push; git 'log'",
  "s'e't -- push; git 'log'",
  "command set -- push; git 'log'",
  "shift; git 'log'",
  "eval 'set -- push'; git 'log'",
  ". ./x; git 'log'",
  "f() { git 'log'; }; f push",
  "trap 'set -- push' DEBUG; git 'log'",
  "printf -v 'a[$(id)]' x",
  "read 'a[$(id)]'",
  "if true; then set -- push; fi; git 'log'",
])("%s may not get the values that were judged", (command) => {
  expect(findRebinding(command)).toEqual(expect.any(String));
});

test.each([
  "git log 'x'",
  "grep 'a' f | sort > /dev/null",
  "for f in 'a'; do cat \"$f\"; done",
  "printf %s 'a'",
])("%s does", (command) => {
  expect(findRebinding(command)).toBeUndefined();
});
