import { expect, test } from "vitest";
import { readPluginName } from "./read-plugins.ts";

const read = (text: string) => readPluginName(Buffer.from(text));

test("a manifest names its plugin by a short plain name", () => {
  expect(read('{"name":"Acme.tools_2-x"}')).toEqual({ name: "Acme.tools_2-x" });
});

test.each([
  ["{", "is not JSON"],
  ["[]", "has no name"],
  ["null", "has no name"],
  ['{"name":1}', "has no name"],
  ['{"name":"Project"}', "is a scope's"],
  ['{"name":""}', "other characters"],
  ['{"name":"a:b"}', "other characters"],
  ['{"name":"a b"}', "other characters"],
  ['{"name":"kit\\n"}', "other characters"],
  [`{"name":"${"a".repeat(65)}"}`, "other characters"],
  [`{"name":"kit","x":"${"a".repeat(256 * 1024)}"}`, "is larger than 262144 bytes"],
])("%.40s names none", (text, fault) => {
  expect(read(text)).toEqual({ fault: expect.stringContaining(fault) });
});
