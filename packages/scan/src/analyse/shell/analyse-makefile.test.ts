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

test("a list that make goes through is a loop of the shell", () => {
  expect(shellOf("clean:\n\t@$(foreach d,$(DIRS) old,find $(HOME)/$(d) -delete;) true\n")).toEqual([
    "",
    `for d in $\{DIRS} old; do find $\{HOME}/$\{d} -delete; done; true`,
    "",
  ]);
  const words = "clean:\n\trm -f $(foreach s,aux log,$(TEX).$(s))\n";
  expect(shellOf(words)?.[1]).not.toContain("for s in");
});
