import { describe, expect, test } from "vitest";
import { heldAllowances } from "./held-allowances.ts";

describe("heldAllowances", () => {
  const digest = (digit: string) => `sha256:${digit.repeat(64)}` as const;
  const before = { digest: digest("1"), allowed: { hooks: true, mcpServers: false } };

  test("what was allowed holds for exactly the same bytes", () => {
    expect(heldAllowances(before, { digest: digest("1") })).toEqual({ hooks: true, mcpServers: false });
  });

  test("nothing holds when any byte of the plugin changed, whatever the file is called", () => {
    expect(heldAllowances(before, { digest: digest("2") })).toEqual({ hooks: false, mcpServers: false });
  });

  test("nothing was allowed where nothing is said", () => {
    expect(heldAllowances({ digest: digest("1") }, { digest: digest("1") })).toEqual({
      hooks: false,
      mcpServers: false,
    });
  });
});
