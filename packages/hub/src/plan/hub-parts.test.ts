import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shellWord } from "./hub-parts.ts";

test.each([
  ["pdf", "pdf"],
  ["acme/tools@pdf", "acme/tools@pdf"],
  ["--force", "./--force"],
  ["x; rm -r y", "'x; rm -r y'"],
])("%j is written as %s", (text, word) => {
  expect(shellWord(text)).toBe(word);
});

test("whatever a stranger writes stays one argument, and never becomes an option", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~é\n]{1,30}$/), (text) => {
      const printed = execFileSync("sh", ["-c", `printf '%s.%s' "$#" ${shellWord(text)}`, "sh"], {
        encoding: "utf8",
      });
      expect(printed).toBe(`0.${text.startsWith("-") ? "./" : ""}${text}`);
    }),
    { numRuns: 40 },
  );
});
