import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadYaml } from "./load-yaml.ts";
import { isTooDeep, type ParsedYaml, parseYaml, type YamlTooDeep } from "./parse-yaml.ts";

const parse = (text: string): ParsedYaml | YamlTooDeep => parseYaml(text, { maxDepth: 32 });

/** Where a text was found to be too deep, or that it was not. */
function depthOf(text: string): string {
  const parsed = parse(text);
  return isTooDeep(parsed) ? `${parsed.tooDeep} ${parsed.line}:${parsed.column}` : "parsed";
}

describe("parseYaml", () => {
  it.each([
    ["lists in brackets", "[", "]"],
    ["maps in brackets", "{a: ", "}"],
    ["lists", "- ", ""],
    ["keys", "? ", ""],
    ["lists with quoted brackets", '["]",', "]"],
    ["lists with brackets in apostrophes", "[']',", "]"],
    ["lists with commented brackets", "[ #]\n ", "]"],
    ["anchored lists", "&a [", "]"],
    ["tagged lists", "!!seq [", "]"],
  ])("lets thirty-two %s through and refuses one more", (_what, open, close) => {
    expect(depthOf(`${open.repeat(32)}x${close.repeat(32)}`)).toBe("parsed");
    expect(depthOf(`${open.repeat(33)}x${close.repeat(33)}`)).toMatch(/^collections /);
    expect(depthOf(open.repeat(33))).toMatch(/^collections /);
  });

  it("counts nested lines", () => {
    const lines = (count: number): string =>
      Array.from({ length: count }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n");
    expect(depthOf(lines(32))).toBe("parsed");
    expect(depthOf(lines(33))).toBe("collections 33:33");
  });

  it("does not count what was closed, quoted or commented", () => {
    for (const text of [
      `[${"[], ".repeat(1000)}]`,
      `"${"[".repeat(1000)}"`,
      `a # ${"[".repeat(1000)}`,
      `a: |\n${Array.from({ length: 200 }, (_, depth) => `${" ".repeat(depth + 1)}- a`).join("\n")}`,
      "- a\n".repeat(1000),
      "a: {b: c}\n".repeat(1000),
    ])
      expect(depthOf(text)).toBe("parsed");
  });

  it("tells lines with two colons, which the library nests, from real nesting", () => {
    expect(depthOf("k: b: c\n".repeat(20))).toBe("parsed");
    expect(depthOf(`a: b\n${"k: b: c\n".repeat(5000)}]`)).toBe("colons 2:4");
    expect(depthOf(`a:\n  - b\n  - c: d\n${"    k: b: c\n".repeat(5000)}`)).toBe("colons 4:8");
  });

  it("ends no process, however deep a text is and however it is compiled", () => {
    for (const unit of ["[", "{a: ", "- ", "? ", '["]",', "[ #]\n ", "k: b: c\n", "- k: b: c\n  "]) {
      for (let count = 500; count <= 100_000; count *= 2)
        expect(depthOf(`x: ${unit.repeat(count)}`)).not.toBe("");
    }
  });

  it("says where a second document begins, and does not look into it", () => {
    expect(parse("a: b\n---\nc: [")).toMatchObject({ secondStart: 5, document: { errors: [] } });
    expect(parse("--- # one\na: b\n")).not.toHaveProperty("secondStart");
  });

  it("gives up behind a thousand tokens that belong nowhere", () => {
    const parsed = parse("]".repeat(200_000)) as ParsedYaml;
    expect(parsed.stoppedAt).toBe(1000);
    expect(parsed.document.errors.length).toBe(1000);
    expect(parse("%a\n".repeat(50_000))).toHaveProperty("stoppedAt");
    expect(parse("]".repeat(999))).not.toHaveProperty("stoppedAt");
  });

  it("reads everything else as the library does", () => {
    const pieces = [
      ..."[]{},:?-&*!|>'\"%@`#\\ \n\t",
      "\n  ",
      ": ",
      "- ",
      "? ",
      "a",
      "b: c",
      "'",
      "\r\n",
      "&a ",
      "*a",
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(""));
    const property = fc.property(text, (written) => {
      const options = { uniqueKeys: false, prettyErrors: false, logLevel: "silent" } as const;
      const expected = loadYaml().parseDocument(written, options);
      const parsed = parse(written) as ParsedYaml;
      expect(parsed.document.errors.map(({ code, pos }) => [code, ...pos])).toEqual(
        expected.errors.map(({ code, pos }) => [code, ...pos]),
      );
      expect(JSON.stringify(parsed.document.contents)).toBe(JSON.stringify(expected.contents));
    });
    fc.assert(property, { numRuns: 1500 });
  });
});
