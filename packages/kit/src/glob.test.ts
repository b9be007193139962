import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutPath, fitsPaths } from "./glob.ts";

const fits = (pattern: string, ...files: string[]): boolean | "too-complex" =>
  fitsPaths([pattern], files.map(cutPath));

describe("patterns", () => {
  test.each([
    ["src/main.ts", "src/main.ts"],
    ["./src/main.ts", "src/main.ts"],
    ["/src/main.ts", "./src/main.ts"],
    ["*.md", "README.md"],
    ["src/*.ts", "src/.hidden.ts"],
    ["src/**/*.ts", "src/main.ts"],
    ["src/**/*.ts", "src/a/b/main.ts"],
    ["**/*.test.*", "a/b.test.ts"],
    ["**", "anything/at/all"],
    ["src/", "src/a/b.ts"],
    ["src/**/test/**/*.ts", "src/a/test/b/test/c.ts"],
    ["a*b*c", "aXbbYc"],
    ["a**c", "abc"],
    ["fil?.txt", "fil🧀.txt"],
    ["[a-cx].ts", "b.ts"],
    ["[!a-c].ts", "d.ts"],
    ["[^a-c].ts", "d.ts"],
    ["[]].ts", "].ts"],
    ["[a-].ts", "-.ts"],
    ["[\\]].ts", "].ts"],
    ["[🦀-🧀].ts", "🦄.ts"],
    ["\\*.ts", "*.ts"],
    ["{src,test}/*.{ts,tsx}", "test/a.tsx"],
    ["{a,b{c,d}}.ts", "bd.ts"],
    ["{a}.ts", "{a}.ts"],
    ["\\{a,b}.ts", "{a,b}.ts"],
    ["{a,b.ts", "{a,b.ts"],
    ["a{,b}.ts", "a.ts"],
  ])("%s fits %s", (pattern, file) => {
    expect(fits(pattern, file)).toBe(true);
  });

  test.each([
    ["*.md", "docs/README.md"],
    ["src/*.ts", "src/a/main.ts"],
    ["src/**/*.ts", "source/main.ts"],
    ["src/main.ts", "src/main.tsx"],
    ["src/main.ts", "SRC/main.ts"],
    ["a?c", "ac"],
    ["ab*bc", "abc"],
    ["src/**/a/b", "src/a/x/b"],
    ["[!a-c].ts", "b.ts"],
    ["\\*.ts", "a.ts"],
    ["{a,b}.ts", "c.ts"],
    ["", "a"],
  ])("%s does not fit %s", (pattern, file) => {
    expect(fits(pattern, file)).toBe(false);
  });

  test.each(["[a", "[z-a]", "[]", "x[", "[a\\"])(
    "a bracket that makes no sense fits nothing: %s",
    (pattern) => {
      expect(fits(pattern, pattern, "a", "z", "")).toBe(false);
      expect(fitsPaths([pattern, "a.ts"], [cutPath("a.ts")])).toBe(true);
    },
  );

  test("one file among many and one pattern among many are enough", () => {
    expect(fitsPaths(["x", "*.ts"], ["a.md", "b.ts"].map(cutPath))).toBe(true);
    expect(fitsPaths(["*.ts"], [])).toBe(false);
    expect(fitsPaths([], [cutPath("a.ts")])).toBe(false);
  });
});

test("any pattern of stars, question marks and letters fits exactly what a regular expression says", () => {
  const pattern = fc
    .array(fc.constantFrom("a", "b", "*", "?", "/", "/**/"), { maxLength: 8 })
    .map((parts) => parts.join(""));
  const path = fc.stringMatching(/^[ab]{0,3}(\/[ab]{0,3}){0,3}$/);
  fc.assert(
    fc.property(pattern, path, (glob, file) => {
      fc.pre(!/^\/|\/$/.test(glob) && !file.startsWith("/"));
      const expression = glob.split("/").map((part) => {
        if (part === "**") return "(?:/[^/]*)*";
        return `/${part.replace(/\*+/g, "[^/]*").replaceAll("?", "[^/]")}`;
      });
      expect(fits(glob, file)).toBe(new RegExp(`^${expression.join("")}$`).test(`/${file}`));
    }),
    { numRuns: 2000 },
  );
});

describe("patterns that are made to take long", () => {
  test("many stars are answered at once", () => {
    const stars = `${"*a".repeat(2000)}b`;
    expect(fits(stars, "a".repeat(10_000))).toBe(false);
    expect(fits(`${"**/a/".repeat(500)}b`, `${"a/".repeat(2000)}c`)).toBe(false);
  });

  test("work beyond a limit is given up", () => {
    const slow = `*${"a".repeat(1000)}b*`;
    expect(fits(slow, "a".repeat(5000))).toBe("too-complex");
  });

  test("braces that stand for more than 1,000 patterns are given up, also those of several patterns together", () => {
    expect(fits("{a,b}".repeat(9), "ababababa")).toBe(true);
    expect(fits("{a,b}".repeat(10), "x")).toBe("too-complex");
    expect(fits("{a,b}".repeat(1000), "x")).toBe("too-complex");
    expect(
      fitsPaths(
        Array.from({ length: 1001 }, (_, index) => `${index}.ts`),
        [cutPath("x")],
      ),
    ).toBe("too-complex");
  });

  test("braces that stand for too much text are given up, and so are those without end", () => {
    expect(fits(`{${"a,".repeat(400)}b}${"x".repeat(1000)}`, "x")).toBe("too-complex");
    expect(fits("{".repeat(30_000), "x")).toBe(false);
    expect(fits("{a,".repeat(10_000), "x")).toBe(false);
    expect(fits(`${"{a,".repeat(900)}b${"}".repeat(900)}`, "b")).toBe("too-complex");
  });
});
