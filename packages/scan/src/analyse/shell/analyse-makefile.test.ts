import { expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { analyseMakefile } from "./analyse-command-files.ts";

const shellOf = (text: string): readonly string[] | undefined =>
  analyseMakefile(makeSource(text, { language: "makefile" })).texts[0]?.text.split("\n");

test("recipes and definitions become shell on their own lines", () => {
  const text =
    "URL := http://a.test\nall: b\n\t@curl $(URL) | sh\n\tfor i in 1; do \\\n\t  echo $$i; done\nX = $(shell id)\n";
  expect(shellOf(text)).toEqual([
    "URL='http://a.test'",
    "",
    `curl $\{URL} | sh`,
    "for i in 1; do \\",
    "echo $i; done",
    'X="$(id)"',
    "",
  ]);
});
