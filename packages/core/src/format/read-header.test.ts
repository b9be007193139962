import { describe, expect, it } from "vitest";
import { parseSkill } from "./parse-skill.ts";

/** The faults of a header in strict mode, by place. */
function faultsOf(header: string): string[] {
  const { diagnostics } = parseSkill(`---\n${header}---\n`, { mode: "strict" });
  return diagnostics.map(({ code, range }) => `${code} ${range?.line}:${range?.column}`);
}

describe("a header that is not YAML", () => {
  it.each([
    [
      "has every value named that wants quotes",
      "name: a\ndescription: use: it\nlicense: @mit\ncompatibility: any: client\n",
      ["unquoted-colon 3:14", "invalid-yaml 4:10", "unquoted-colon 5:16"],
    ],
    [
      "has every line named that is indented with a tab",
      "name: a\ndescription: b\nmetadata:\n\tc: d\n\te: f\n",
      ["tab-indentation 5:1", "tab-indentation 6:1"],
    ],
    [
      "has one fault a line named",
      "name: a\ndescription: b: c: d: e\nlicense: f: g\n",
      ["unquoted-colon 3:14", "unquoted-colon 4:10"],
    ],
    [
      "has nothing named that may be a consequence",
      "name: a\ndescription: use: it\n  and more\n  of that\n",
      ["unquoted-colon 3:14"],
    ],
    [
      "has nothing named behind a fault that the parser does not get over",
      "name: 'a\ndescription: b\nlicense: c: d\n",
      ["invalid-yaml 5:1"],
    ],
    ["has a second document named", "name: a\n--- # x\ndescription: b\n", ["invalid-yaml 3:1"]],
  ])("%s", (_what, header, faults) => {
    expect(faultsOf(header)).toEqual(faults);
  });

  it("has its first hundred faults named and the rest counted", () => {
    const faults = faultsOf("k: @b\n".repeat(3000));
    expect(faults.length).toBe(101);
    expect(faults.at(-1)).toBe("more-faults 2:1");
  });

  it("has a message of bounded length, whatever it holds", () => {
    const { diagnostics } = parseSkill(`---\n]${"x".repeat(20_000)}\n---\n`, { mode: "strict" });
    expect(diagnostics.filter(({ message }) => message.length > 300)).toEqual([]);
    expect(diagnostics[0]?.code).toBe("invalid-yaml");
  });
});
