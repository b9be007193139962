import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDeclarationFile, readDeclarations } from "./analyse-program.ts";

test("only the name of a declaration file promises declarations", () => {
  expect(
    ["a.d.ts", "lib/a.d.cts", "a.d.css.ts", "a.ts", "d.ts", "a.d.js"].map(isDeclarationFile),
  ).toStrictEqual([true, true, true, false, false, false]);
});

test("of declarations only the comments are left", () => {
  const text = [
    'import type { A } from "./a.js";',
    "/** Never call it twice. */",
    'export declare function run(kind: "a" | "// no comment", ...rest: A[]): Promise<void>;',
    'export declare const VERSION = "1.0";',
    "export interface Box<T> { get(key: string): T; [Symbol.iterator](): Iterator<T>; }",
    'export type B = import("./b.js").B;',
  ].join("\n");
  expect(readDeclarations(text)).toStrictEqual({
    body: [],
    remarks: [{ kind: "comment", from: 33, to: 60, text: "Never call it twice. " }],
    errorCharacters: 0,
    isCut: false,
  });
});

describe("what could run makes it a program like any other", () => {
  test.each([
    'require("child_process").execSync("id");',
    "process.exit();",
    'fetch("https://drop.test");',
    "eval(a + b);",
    "(() => { go })();",
    "const x = atob(y);",
    "if (x) y;",
    "run`id`;",
    "eval(atob(x));",
    "try { x } catch {}",
  ])("%s", (text) => {
    expect(readDeclarations(`export interface A {}\n${text}`)).toBeUndefined();
  });
});

test("no text makes it throw, or crawl", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => void readDeclarations(text)),
  );
  for (const unit of ["/*", "/* */", '"', "`", "(", "a.", "a(", "if (", "const a = ", " ", "return ", "\\"])
    readDeclarations(unit.repeat(60_000));
});
