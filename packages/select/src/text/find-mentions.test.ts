import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findMentions, MAX_MENTION_CHARACTERS, searchMentions } from "./find-mentions.ts";

const found = (message: string): string[] =>
  findMentions(message).map(({ form, name, path }) => [form, name, path].filter(Boolean).join(" "));

test.each<readonly [string, readonly string[]]>([
  ["/review-change the last commit", ["slash review-change"]],
  ["please /kit:deploy now", ["slash kit:deploy"]],
  ["use $pdf-forms and $gh.", ["dollar pdf-forms", "dollar gh"]],
  ["[$pdf](/skills/pdf/SKILL.md) it", ["link pdf /skills/pdf/SKILL.md"]],
  ["[$pdf] (skill:///skills/pdf)", ["link pdf /skills/pdf"]],
  ["[$pdf]()", ["dollar pdf"]],
  ["[$x](mcp://server) [pdf](/skills/pdf)", []],
  ["echo $PATH $HOME $home $MY_VAR $1", []],
  ["costs US$5 and a$b and \\$gh", []],
  ["see /etc/passwd, and/or, 1/2, https://x/y", []],
  ["run `$gh` and ``/gh ` $gh`` or\n```sh\n$gh /gh\n```\n~~~\n/gh\n~~~\n$gh", ["dollar gh"]],
  ["``` $gh\n/gh", []],
  ["(/gh) '$gh'", ["dollar gh"]],
  ["/gh: do it", ["slash gh"]],
  ["use $café, /日本 and [$café](/s/café)", ["dollar café", "slash 日本", "link café /s/café"]],
  ["use $cafe\u0301 and $caf\u200dx", ["dollar cafe\u0301", "dollar caf\u200dx"]],
  ["[$gh](/copy (1)/gh) $gh", ["link gh /copy (1)/gh", "dollar gh"]],
  ["[$gh](/copy ((1/gh", ["link gh /copy ((1/gh"]],
  ["Look:\n\n    $gh\n\n\t/gh", []],
  ["The ` key.\n\nRun `$gh`, then $tidy", ["dollar tidy"]],
  ["A \\` and then `$gh`", []],
  ["<!-- $gh -->", []],
  [`$${"a".repeat(300)} $${"a-".repeat(150)}`, []],
])("%j mentions %j", (message, mentions) => {
  expect(found(message)).toEqual(mentions);
});

describe("where a bound ends the search", () => {
  const filler = "x ".repeat(MAX_MENTION_CHARACTERS / 2);

  test("a mention that reaches beyond it is none, not that of a shorter name", () => {
    const before = filler.slice(0, -8);
    expect(searchMentions(`${before}/deploy-dry-run`)).toEqual({ mentions: [], stoppedBy: "length" });
    expect(found(`${before}/deploy`)).toEqual(["slash deploy"]);
  });

  test("code that ends beyond it is code", () => {
    expect(found(`${filler.slice(0, -10)}\`$gh ${filler}`)).toEqual(["dollar gh"]);
    expect(found(`${filler.slice(0, -10)}\`$gh xxxxxxxx\` ${filler}`)).toEqual([]);
  });

  test("the one after the last mention tells", () => {
    expect(searchMentions("$gh ".repeat(32)).stoppedBy).toBeUndefined();
    expect(searchMentions("$gh ".repeat(33)).stoppedBy).toBe("count");
  });
});

test("no more than thirty-two are looked at", () => {
  expect(findMentions("$gh ".repeat(1000))).toHaveLength(32);
});

test("whatever the text, every mention is a part of it, outside of code, and nothing throws", () => {
  const piece = fc.constantFrom("`", "```", "\n", "$gh", "/gh", "[$a](b)", " ", "~~~", "\\", "x");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
      const text = pieces.join("");
      for (const { start, end, name } of findMentions(text)) expect(text.slice(start, end)).toContain(name);
    }),
  );
});

test("a quarter of a megabyte of backticks of every length is read in one pass", () => {
  const ticks = Array.from({ length: 700 }, (_, index) => "`".repeat(index + 1)).join(" ");
  expect(found(`$gh ${ticks}`)).toEqual(["dollar gh"]);
});

test("a mention that the message rules out is not one, and no paste makes that slow", () => {
  const named = (message: string): readonly string[] => findMentions(message).map(({ name }) => name);
  expect(named("don't use $pdf-forms, use $tidy-commits")).toEqual(["tidy-commits"]);
  expect(named("fill it in without using /pdf-forms")).toEqual([]);
  expect(named("don't forget $pdf-forms")).toEqual(["pdf-forms"]);
  expect(named("Don't touch the tests and run /review-change")).toEqual(["review-change"]);
  expect(named("No need to ask first run $tidy-commits")).toEqual(["tidy-commits"]);
  expect(named("don't run the /review-change, no $pdf-forms")).toEqual([]);
  expect(named("please don't execute my $pdf-forms or $tidy-commits")).toEqual([]);
  for (const piece of [
    " ",
    ", ",
    "no ",
    "don't ",
    "don't use the ",
    "benutze ",
    "x",
    "leave a ",
    "不要",
    "# **",
  ])
    expect(named(piece.repeat(250_000 / piece.length)).length).toBe(0);
});
