import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { locateTarget } from "./locate-target.ts";

describe("locateTarget", () => {
  test.each([
    [".git", "docs/hooks"],
    [".git/hooks", "docs/pdf"],
    ["deep/.git", "docs/hooks"],
    ["deep/.GIT", "docs/hooks"],
  ])("a link to %s does not make %s a target", (folder, path) => {
    const root = temporaryDirectory();
    mkdirSync(join(root, folder), { recursive: true });
    symlinkSync(folder, join(root, "docs"));
    expect(locateTarget(path, { root })).toMatchObject({ problem: expect.stringContaining(".git") });
  });

  test("also below a folder outside the lock's, links do not lead into .git", () => {
    const [root, outside] = [temporaryDirectory(), temporaryDirectory()];
    mkdirSync(join(outside, ".git"));
    symlinkSync(".git", join(outside, "docs"));
    expect(locateTarget(join(outside, "docs/hooks"), { root, outside: [outside] })).toHaveProperty("problem");
    expect(locateTarget(join(outside, "pdf"), { root, outside: [outside] })).toHaveProperty("place");
  });

  test("a link inside the project to an ordinary folder is followed", () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, ".agents/skills"), { recursive: true });
    symlinkSync(".agents", join(root, ".claude"));
    expect(locateTarget(".claude/skills/pdf", { root })).toEqual({ place: join(root, ".agents/skills/pdf") });
  });

  test.each(["not-yet", "/nowhere/at/all", "loop"])(
    "a link to %s is not taken for a folder to be made",
    (to) => {
      const root = temporaryDirectory();
      symlinkSync(to, join(root, "loop"));
      for (const path of ["loop/pdf", "loop/deep/er/pdf"])
        expect(locateTarget(path, { root })).toMatchObject({
          problem: expect.stringContaining("link to nothing"),
        });
      // The target itself may be one, which is then replaced or removed.
      expect(locateTarget("loop", { root })).toEqual({ place: join(root, "loop") });
    },
  );
});
