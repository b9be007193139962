import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellQuote } from "./shell-quote.ts";

test("a plain path stays plain", () => {
  expect(shellQuote("/srv/app-1/.skillet")).toBe("/srv/app-1/.skillet");
});

test.each(["two words", "it's", "$HOME", "`id`", "a\\b", "", "*"])(
  "a shell reads %j back as it was",
  (argument) => {
    expect(execFileSync("sh", ["-c", `printf %s ${shellQuote(argument)}`], { encoding: "utf8" })).toBe(
      argument,
    );
  },
);
