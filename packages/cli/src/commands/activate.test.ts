import { expect, test } from "vitest";
import { argumentText } from "./activate.ts";

test.each([
  [[], undefined],
  [["tax.pdf"], "tax.pdf"],
  [['"big file" v2'], '"big file" v2'],
  [["it's fine"], "it's fine"],
  [["big file", "v2"], '"big file" v2'],
  [["#123", "$HOME", "a=b"], "#123 $HOME a=b"],
  [["", 'say "x"', "C:\\a", "it's"], String.raw`"" "say \"x\"" "C:\\a" "it's"`],
])("%j is typed as %j", (args, text) => {
  expect(argumentText(args)).toBe(text);
});
