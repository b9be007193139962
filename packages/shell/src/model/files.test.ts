import { expect, test } from "vitest";
import { ShellFiles } from "./files.ts";
import { known } from "./value.ts";

test("what was appended to a file is joined once, however often a script reads the file between", () => {
  let looks = 0;
  const files = new ShellFiles("/work");
  for (let line = 0; line < 100; line++) {
    const piece = known("x");
    const look = (): readonly never[] => {
      looks++;
      return [];
    };
    files.set("log", Object.defineProperty({ ...piece }, "sources", { get: look }), { append: true });
    files.get("log");
  }
  expect(files.get("log")?.text).toBe("x".repeat(100));
  expect(looks).toBeLessThanOrEqual(300);
});
