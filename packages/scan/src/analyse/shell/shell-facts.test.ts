import { expect, test } from "vitest";
import type { Act } from "../../fact/fact.ts";
import { makeSource } from "../../testing/make-source.ts";
import { ShellFacts } from "./analyse-shell.ts";

const SOURCE = makeSource("", { file: "a.sh", language: "shell", medium: "script" });

const run = (program: string): Act => ({ type: "run", program, arguments: [] });
const at = (line: number) => ({ line, snippet: "", chain: [] });

test("a deed counts once a line, however often it is done there, and others beside it count as well", () => {
  const recorder = new ShellFacts(SOURCE);
  for (const program of ["ls", "ls", "id", "ls", "id"]) recorder.effect(run(program), at(1));
  recorder.effect(run("ls"), at(2));
  recorder.effect({ type: "environment", name: "ls" }, at(1));
  const { facts } = recorder.analysis;
  expect(facts.map((fact) => [fact.line, fact.kind === "act" ? fact.act : undefined])).toEqual([
    [1, run("ls")],
    [1, run("id")],
    [1, { type: "environment", name: "ls" }],
    [2, run("ls")],
  ]);
});

test("a flow and a text count once a line, too", () => {
  const recorder = new ShellFacts(SOURCE);
  for (const path of ["/tmp/a", "/tmp/a", "/tmp/b"]) {
    recorder.flow([], { type: "write", path }, [], at(1));
    recorder.code("python", path, at(1));
  }
  const { facts, texts } = recorder.analysis;
  expect(facts).toHaveLength(2);
  expect(texts.map(({ text }) => text)).toEqual(["/tmp/a", "/tmp/b"]);
});
