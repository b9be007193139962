import fc from "fast-check";
import { expect, test } from "vitest";
import { redactSecrets } from "./secrets.ts";

test("a secret is replaced by its name wherever it stands", () => {
  const redact = redactSecrets({ API_KEY: "s3cr3t", OTHER: "0815-4711" });
  expect(redact("s3cr3t, s3cr3ts3cr3t and 0815-4711.")).toBe(
    "[redacted API_KEY], [redacted API_KEY][redacted API_KEY] and [redacted OTHER].",
  );
  expect(redact("nothing of them")).toBe("nothing of them");
});

test("of secrets that overlap, with themselves or another, nothing is left", () => {
  expect(redactSecrets({ A: "abcd", B: "cdef" })("-abcdef-")).toBe("-[redacted A]-");
  expect(redactSecrets({ A: "abcd", B: "abcdef" })("-abcdef-")).toBe("-[redacted B]-");
  expect(redactSecrets({ A: "ababa" })("-abababa-")).toBe("-[redacted A]-");
});

test("a line of a secret, and what is left of one without spaces around it or hidden characters, are secret", () => {
  const key = " -----BEGIN KEY-----\r\nMIIEvQIBADANBg\r\n-----END KEY-----\u200b\n";
  const redact = redactSecrets({ KEY: key });
  expect(redact("got MIIEvQIBADANBg")).toBe("got [redacted KEY]");
  expect(redact(key.trim())).toBe("[redacted KEY]");
  expect(redactSecrets({ KEY: "pass\u200bword" })("password")).toBe("[redacted KEY]");
});

test("values of less than four bytes are left alone, and a name adds nothing unseen", () => {
  expect(redactSecrets({ SHORT: "abc", EMPTY: "" })("abc")).toBe("abc");
  expect(redactSecrets({ "A\u202eB": "value" })("value")).toBe('[redacted "A\\u202eB"]');
});

test("no text keeps a secret", () => {
  const piece = fc.constantFrom("ab", "ba", "aab", "b", "x");
  const secret = fc
    .array(piece, { minLength: 2, maxLength: 4 })
    .map((parts) => parts.join("").padEnd(4, "a"));
  fc.assert(
    fc.property(secret, secret, fc.array(piece), (first, second, parts) => {
      const left = redactSecrets({ A: first, B: second })(parts.join("").concat(second, first));
      expect([left.includes(first), left.includes(second)]).toEqual([false, false]);
    }),
  );
});
