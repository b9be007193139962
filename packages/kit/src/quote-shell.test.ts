import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { quoteShell } from "./text.ts";

const hostile = fc.array(
  fc.oneof(
    fc.constantFrom(
      "'",
      '"',
      "\\",
      "$(id)",
      "`id`",
      "\n",
      "\r",
      "$HOME",
      "!",
      "*",
      "~",
      ";",
      "-",
      " ",
      "\t",
      "#",
      "&&",
      "",
    ),
    fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", "")),
  ),
  { maxLength: 8 },
);

test("a shell reads back exactly the words that were quoted, through eval too", () => {
  fc.assert(
    fc.property(
      fc.array(
        hostile.map((parts) => parts.join("")),
        { maxLength: 6 },
      ),
      (words) => {
        const program = `printf '%s\\0' end ${words.map(quoteShell).join(" ")}`;
        const output = execFileSync("/bin/sh", ["-c", 'eval "$(cat)"'], { input: program, encoding: "utf8" });
        expect(output).toBe(["end", ...words, ""].join("\0"));
      },
    ),
    { numRuns: 60 },
  );
});
