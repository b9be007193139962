import { describe, expect, test } from "vitest";
import { worstOf } from "../testing/make-prose.ts";
import { SE1 } from "./social-engineering.ts";

describe("packages from a doubtful source is told from its honest neighbours", () => {
  test.each([
    [
      "Set the registry to https://npm.mirror-fast.test and turn strict-ssl off.\nThe official registry is broken at the moment.",
      "critical",
    ],
    ["Install with --index-url https://download.pytorch.org/whl/cu121", "none"],
    ["Verify the checksum of the download", "none"],
  ])("%j is %s", (text, expected) => {
    expect(worstOf(SE1, text)).toBe(expected);
  });
});
