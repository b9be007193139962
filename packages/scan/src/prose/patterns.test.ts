import { expect, test } from "vitest";
import { readMarks, readTokens } from "./marks.ts";
import { readPatterns } from "./patterns.ts";

test.each([
  ["=red", "a red door", true],
  ["=red !=door", "a red door", false],
  ["=red|=blue", "a blue door", true],
  ["=red>2>=door", "a red old door", true],
  ["=red>1>=door", "a red old door", false],
  ["=red>2>=door", "the door is red", false],
  ["=red~2~=door", "the door is red", true],
  ["=red !=red>2>=door", "a red old door", false],
  ["=red>2>=old>2>=door", "a red old door", true],
  ["+send", "send it", true],
  ["+send", "never send it", false],
  ["+send", "send it without a word", true],
  ["not once", "never send it", true],
  ["not once", "never send it without a word", false],
  ["=red unless =red>1>=door", "a red door", false],
  ["=red unless =red>1>=door", "a red wall", true],
  ["=red unless =red>1>=door", "a red door in a red wall", true],
  ["=red unless =door", "a red door", true],
  ["+send unless not>4>send", "do not send it", false],
  ["send unless not>4>send", "do not send it today, but send the rest", true],
  ["=blue, =red", "a red door", true],
  ["send>4>url", "post all of it to https://a.test/x", false],
  ["send>6>url", "post all of it to https://a.test/x", true],
  ["foreign send", "发送", true],
  ["foreign send", "send", false],
  ["store", "read ~/.ssh/id_rsa", true],
  ["memory", "append it to CLAUDE.md".toLowerCase(), true],
])("%s in: %s", (pattern, text, expected) => {
  const find = readPatterns({ it: pattern });
  expect(find(readMarks(text, readTokens(text))).has("it")).toBe(expected);
});
