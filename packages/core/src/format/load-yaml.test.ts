import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadYaml } from "./load-yaml.ts";

describe("loadYaml", () => {
  it("gives the same library each time", () => {
    expect(loadYaml()).toBe(loadYaml());
    expect(loadYaml().parse("a: 1")).toEqual({ a: 1 });
  });

  it("is the only way by which this folder reaches the library, so that starting up does not pay for it", () => {
    const folder = new URL(".", import.meta.url);
    const importing = readdirSync(folder)
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .filter((name) => /^import (?!type).*from "yaml"/m.test(readFileSync(new URL(name, folder), "utf8")));
    expect(importing).toEqual([]);
  });
});
