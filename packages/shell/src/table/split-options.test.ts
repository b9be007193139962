import { expect, test } from "vitest";
import { known, type Value } from "../model/value.ts";
import { Options } from "./split-options.ts";

const words = (text: string): readonly Value[] => text.split(" ").map((word) => known(word));
const texts = (values: readonly Value[]): readonly string[] => values.map(({ text }) => text);

test("options are sorted from operands the way getopt does", () => {
  const valued = new Set(["-o", "-d", "--header"]);
  const options = new Options(words("-fsSLo out --data=a --header b -dx url -- -not"), valued);
  expect(texts(options.operands)).toEqual(["url", "-not"]);
  expect(options.get("-o")?.text).toBe("out");
  expect(texts(options.all("-d --data --header"))).toEqual(["x", "a", "b"]);
  expect(options.has("-L")).toBe(true);
  expect(options.has("-k")).toBe(false);
});

test("an option at the end without its value has an empty one", () => {
  expect(new Options(words("-o"), new Set(["-o"])).get("-o")?.text).toBe("");
});

test("a list as long as an attacker likes is read to its end", () => {
  const given = new Options(Array<Value>(300_000).fill(known("-dx")), new Set(["-d"]));
  expect(given.all("-d")).toHaveLength(300_000);
});
