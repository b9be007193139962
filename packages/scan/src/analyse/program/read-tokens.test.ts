import { describe, expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { analyseProgram } from "./analyse-program.ts";
import { MAX_TOKENS, readStatements } from "./read-tokens.ts";

function words(file: string, ...lines: string[]): string {
  const { statements } = readStatements(lines.join("\n"), file);
  return statements.flatMap(({ tokens }) => tokens.map(({ text }) => text)).join(" ");
}

describe("a comment begins and ends as the language of the file says", () => {
  test.each<[string, string[], string]>([
    ["a.go", ["*p = 1; send(b)"], "* p = 1 send ( b )"],
    ["a.rs", ["#[allow(x)] let r = b"], "# [ allow ( x ) ] let r = b"],
    ["A.java", ["--i; send(b);"], "-- i send ( b )"],
    ["a.php", ["#[Pure] send($b);", "send($c); # send($d)"], "# [ Pure ] send ( b ) send ( c )"],
    ["a.lua", ["--[[ send(b)", "send(c) ]] send(d) --e"], "send ( d )"],
    ["a.go", ["/* send(b)", " * send(c)", " */ send(d) // e"], "send ( d )"],
    ["SKILL.md", ["/* send(b)"], "/ * send ( b )"],
    ["a.rb", [`send(b) # x`, `#send(c)`, `f("#{d}")`], `send ( b ) f ( "#{d}" )`],
    ["a.pl", ["my $n = $#list; send($b)"], "my n = $ # list send ( b )"],
    ["SKILL.md", ["# a", "// b", "-- c", "--i", "#[d] e"], "-- i # [ d ] e"],
  ])("%s: %j", (file, lines, expected) => {
    expect(words(file, ...lines)).toBe(expected);
  });
});

describe("only Perl and Ruby keep manuals among the code, and only between statements", () => {
  test.each<[string, string[], string]>([
    ["a.php", ["$x", `=strlen("a");`, "send($b);"], `x = strlen ( "a" ) send ( b )`],
    ["a.pl", ["$x", `=length("a");`, "send($b);"], `x = length ( "a" ) send ( b )`],
    ["a.pl", ["one();", "=pod", "send($b);", "=cut", "two();", "__END__", "three()"], "one ( ) two ( )"],
    ["a.rb", ["one", "=begin", "send(b)", "=end", "two", "__END__", "three"], "one two"],
    ["a.go", ["__END__", "send(b)"], "__END__ send ( b )"],
  ])("%s: %j", (file, lines, expected) => {
    expect(words(file, ...lines)).toBe(expected);
  });
});

describe("what is opened again and again and never closed is looked for once", () => {
  test.each([
    ["a.go", "'\\"],
    ["a.go", "`\\"],
    ["a.go", "/*"],
    ["SKILL.md", "/*"],
    ["a.jl", "#="],
    ["a.rb", "=begin\n"],
    ["a.pl", "x\n=pod\n"],
  ])("%s: %j", (file, piece) => {
    expect(words(file, piece.repeat(500_000)).length).toBeLessThan(3_000_000);
  });
});

describe("each bound that was reached is told by its name", () => {
  const long = "a b c d e f g h\n".repeat(MAX_TOKENS / 8 + 1);

  test("code of too many words is not said to be nested", () => {
    const source = makeSource(`eval x\n${long}`, { language: "code", file: "a.go" });
    expect(analyseProgram(source).unread).toBe(
      "code is longer than 500000 words and signs: the rest is not followed",
    );
  });

  test("Python that is too long to be parsed also tells where its reading as text ended", () => {
    const source = makeSource(`eval(x)\n${long}${"# \n".repeat(500_000)}`, {
      language: "python",
      file: "a.py",
    });
    expect(analyseProgram(source).unread).toBe(
      "code is longer than 2097152 characters: read as text, not parsed; " +
        "code is longer than 500000 words and signs: the rest is not followed",
    );
  });
});
