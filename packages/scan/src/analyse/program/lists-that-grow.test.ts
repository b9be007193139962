import { expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { analyseProgram } from "./analyse-program.ts";

const ROUNDS = 60;

test.each(["a = a + a", "a += a", "a = [*a, *a]", "a.extend(a)"])(
  "python lists that double by %s stay bounded",
  (line) => {
    const text = `a = [1]\n${`${line}\n`.repeat(ROUNDS)}`;
    const { facts } = analyseProgram(
      makeSource(text, { file: "x.py", language: "python", medium: "script" }),
    );
    expect(facts).toEqual([]);
  },
);

test.each(["a = [...a, ...a];", "a = a.concat(a);", "a.push(...a);"])(
  "javascript lists that double by %s stay bounded",
  (line) => {
    const text = `let a = [1];\n${`${line}\n`.repeat(ROUNDS)}`;
    const { facts } = analyseProgram(
      makeSource(text, { file: "x.mjs", language: "javascript", medium: "script" }),
    );
    expect(facts).toEqual([]);
  },
);
