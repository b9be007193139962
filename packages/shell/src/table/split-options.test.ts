import { expect, test } from "vitest";
import { known, type Value } from "../model/value.ts";
import { hasFlag, optionOf, optionsOf, readOptions } from "./split-options.ts";

const words = (text: string): readonly Value[] => text.split(" ").map((word) => known(word));
const texts = (values: readonly Value[]): readonly string[] => values.map(({ text }) => text);

test("options are sorted from operands the way getopt does", () => {
  const options = readOptions(words("-fsSLo out --data=a --header b -dx url -- -not"), {
    short: "od",
    long: new Set(["--header"]),
  });
  expect(texts(options.operands)).toEqual(["url", "-not"]);
  expect(optionOf(options, "-o")?.text).toBe("out");
  expect(texts(optionsOf(options, "-d", "--data", "--header"))).toEqual(["x", "a", "b"]);
  expect(hasFlag(options, "-L")).toBe(true);
  expect(hasFlag(options, "-k")).toBe(false);
});

test("an option at the end without its value has an empty one", () => {
  expect(optionOf(readOptions(words("-o"), { short: "o" }), "-o")?.text).toBe("");
});

test("a list as long as an attacker likes is read to its end", () => {
  const given = readOptions(Array<Value>(300_000).fill(known("-dx")), { short: "d" });
  expect(optionsOf(given, "-d")).toHaveLength(300_000);
});
