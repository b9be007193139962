import { expect, test } from "vitest";
import { ShellFiles } from "./files.ts";
import type { Value } from "./value.ts";

test("a file that is read after each line that is added to it is not joined whole each time", () => {
  let reads = 0;
  const line = (): Value => ({
    get text() {
      reads++;
      return "x";
    },
    isKnown: true,
    sources: [],
  });
  const files = new ShellFiles("/work");
  for (let count = 1; count <= 100; count++) {
    files.set("/work/f", line(), { append: true });
    expect(files.get("/work/f")?.text).toBe("x".repeat(count));
  }
  expect(reads).toBeLessThan(300);
});
