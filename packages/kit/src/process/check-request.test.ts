import fc from "fast-check";
import { expect, test } from "vitest";
import { checkRequest } from "./check-request.ts";
import type { ProcessRequest } from "./process-request.ts";

const good: ProcessRequest = {
  argv: ["/bin/true", "", "a b"],
  environment: { PATH: "/usr/bin", EMPTY: "" },
  cwd: "/",
  deadlineMs: 1,
};
const bad: [string, Partial<ProcessRequest>, string][] = [
  [
    "a relative program",
    { argv: ["sh"] },
    'must be an absolute path, not "sh"; nothing is looked up in PATH',
  ],
  ["an empty program", { argv: [""] }, 'must be an absolute path, not ""'],
  ["NUL in the program", { argv: ["/bin/true\0x"] }, 'Argument 0 of "/bin/true\\u0000x" contains NUL'],
  ["NUL in an argument", { argv: ["/bin/true", "a", "\0"] }, 'Argument 2 of "/bin/true" contains NUL'],
  ["an empty variable name", { environment: { "": "x" } }, 'variable name "" is empty or contains = or NUL'],
  [
    "= in a variable name",
    { environment: { "A=B": "x" } },
    'variable name "A=B" is empty or contains = or NUL',
  ],
  ["NUL in a variable name", { environment: { "A\0": "x" } }, 'variable name "A\\u0000" is empty'],
  ["NUL in a value", { environment: { A: "\0" } }, "variable A has a value with NUL"],
  [
    "the mark",
    { environment: { SKILLET_PROCESS_MARK: "x" } },
    "SKILLET_PROCESS_MARK is set by Skillet itself",
  ],
  ["a relative folder", { cwd: "here" }, 'an absolute path without NUL, not "here"'],
  ["NUL in the folder", { cwd: "/\0" }, 'an absolute path without NUL, not "/\\u0000"'],
  ["no time", { deadlineMs: 0 }, "deadlineMs must be a whole number from 1 to 86400000, not 0"],
  ["more than a day", { deadlineMs: 86_400_001 }, "deadlineMs must be a whole number from 1 to 86400000"],
  ["half a millisecond", { deadlineMs: 1.5 }, "deadlineMs must be a whole number"],
  ["a deadline that is no number", { deadlineMs: Number.NaN }, "not NaN"],
  [
    "a negative cap",
    { maxOutputBytes: -1 },
    "maxOutputBytes must be a whole number from 0 to 268435456, not -1",
  ],
  ["an endless limit", { maxSeenBytes: Infinity }, "maxSeenBytes must be a whole number"],
  ["a negative user", { user: { uid: -1, gid: 0 } }, "user.uid must be a whole number"],
  // The number that means "leave it as it is" to the system.
  ["the group that is none", { user: { uid: 0, gid: 2 ** 32 - 1 } }, "user.gid must be a whole number"],
  [
    "too many descriptors",
    { descriptors: Array.from({ length: 65 }, () => ({ kind: "collect" }) as const) },
    "descriptors.length must be a whole number from 0 to 64, not 65",
  ],
];

test("a request that can be carried out passes", () => {
  expect(() => checkRequest(good)).not.toThrow();
  expect(() => checkRequest({ ...good, deadlineMs: 86_400_000, maxOutputBytes: 0 })).not.toThrow();
});

test.each(bad)("%s is refused with a message that names it", (_what, changes, message) => {
  expect(() => checkRequest({ ...good, ...changes })).toThrow(
    expect.objectContaining({ code: "process-request-invalid", message: expect.stringContaining(message) }),
  );
});

test("no text in a message is longer than its bound or brings control characters with it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 1000 }), (program) => {
      try {
        checkRequest({ ...good, argv: [`x${program}`] });
      } catch (error) {
        expect((error as Error).message).toMatch(/^[^\p{Cc}]{1,1400}$/u);
      }
    }),
  );
});
