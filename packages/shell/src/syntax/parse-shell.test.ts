import fc from "fast-check";
import { expect, test } from "vitest";
import { guardShellText } from "./parse-shell.ts";

test("an ordinary script is left as it is", () => {
  const text = 'f() { if [ "$a" ]; then echo {a,b} $((1)) $(b $(c)); fi; }\n'.repeat(100);
  expect(guardShellText(text)).toEqual({ text });
});

test("only the surplus is blunted, and the reason given", () => {
  const { text, unread } = guardShellText(`${"{".repeat(42)} echo {a}`);
  expect(text).toBe(`${"{".repeat(40)}__ echo {a}`);
  expect(unread).toBe("a shell script holds braces nested more than 40 deep in a word");
});

test("positions hold, whatever is blunted", () => {
  const part = fc.constantFrom("{a,", "$[", "<<A ", "$(", ")", " ", "x", "\n");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 400 }), (parts) => {
      const text = parts.join("");
      expect(guardShellText(text).text).toHaveLength(text.length);
    }),
  );
});
