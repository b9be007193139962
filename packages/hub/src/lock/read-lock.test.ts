import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scopeLock } from "../hub-limits.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { formatLock } from "./format-lock.ts";
import { readLock } from "./read-lock.ts";

describe("readLock", () => {
  test("where there is no file nothing is installed", async () => {
    const root = temporaryDirectory();
    expect(await readLock(scopeLock({ kind: "project", root }))).toEqual({ skills: new Map() });
    expect(scopeLock({ kind: "user", home: root, pluginsDirectory: join(root, "plugins") })).toBe(
      join(root, "lock.json"),
    );
  });

  test("a file that does not parse is an error and stays as it is", async () => {
    const file = join(temporaryDirectory(), "skillet.lock");
    writeFileSync(file, "{ broken");
    await expect(readLock(file)).rejects.toMatchObject({ code: "lock-invalid" });
    expect(readFileSync(file, "utf8")).toBe("{ broken");
  });

  test("a user's own, which is in no version control, says how to begin anew", async () => {
    const file = join(temporaryDirectory(), "lock.json");
    writeFileSync(file, "{ broken");
    await expect(readLock(file)).rejects.toThrow("move it and the folder plugins beside it away and install");
  });

  test("a link is refused: a repository could make another file the lock", async () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, "other.lock"), formatLock({ skills: new Map() }));
    symlinkSync("other.lock", join(folder, "skillet.lock"));
    await expect(readLock(join(folder, "skillet.lock"))).rejects.toMatchObject({ code: "link-refused" });
  });

  test("bytes that are no UTF-8 are an error", async () => {
    const file = join(temporaryDirectory(), "skillet.lock");
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(readLock(file)).rejects.toMatchObject({ code: "lock-invalid" });
  });
});
