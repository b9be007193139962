import { describe, expect, test } from "vitest";
import type { AgentEvent } from "./create-use-detector.ts";
import { createUseDetector } from "./create-use-detector.ts";

const detector = createUseDetector([]);

describe("an event that is none", () => {
  test.each([
    undefined,
    null,
    "ls",
    {},
    { kind: "foo" },
    { kind: "read" },
    { kind: "read", path: 1 },
    { kind: "command" },
    { kind: "command", command: ["ls", 1] },
    { kind: "command", command: "ls", cwd: 1 },
  ])("is refused with what to pass: %j", (event) => {
    expect(() => detector.detect(event as AgentEvent)).toThrow(
      expect.objectContaining({ code: "call-invalid", message: expect.stringContaining("; pass ") }),
    );
  });

  test("is not one that names no skill", () => {
    expect(detector.detect({ kind: "read", path: "x" })).toEqual([]);
    expect(detector.detect({ kind: "command", command: ["ls", "-l"], cwd: "/project" })).toEqual([]);
  });
});
