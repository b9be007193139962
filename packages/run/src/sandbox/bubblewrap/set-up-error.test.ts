import { expect, test } from "vitest";
import { setUpError } from "./set-up-error.ts";

const nothing = { head: new Uint8Array(0), tail: new Uint8Array(0), omittedBytes: 0 };

test("what bubblewrap said is the reason, and nothing of the skill has run", async () => {
  const error = await setUpError({
    ending: "exit",
    exitCode: 1,
    stdout: nothing,
    stderr: { ...nothing, head: Buffer.from(`bwrap: Can't find source path /x\n${"y".repeat(9999)}`) },
    collected: new Map(),
    durationMs: 1,
  });
  expect(error.code).toBe("sandbox-unavailable");
  expect(error.message).toMatch(
    /^bubblewrap could not set up the sandbox: bwrap: Can't find source path \/x/,
  );
  expect(error.message).toMatch(/Nothing was run\.$/);
  expect(error.message.length).toBeLessThan(700);
});

test("without a word from bubblewrap the reason is how it ended", async () => {
  const result = {
    ending: "exit",
    signal: "SIGKILL",
    stdout: nothing,
    stderr: nothing,
    durationMs: 1,
  } as const;
  expect((await setUpError({ ...result, collected: new Map() })).message).toContain("it ended with SIGKILL");
});
