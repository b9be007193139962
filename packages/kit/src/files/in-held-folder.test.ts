import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inHeldFolder } from "./in-held-folder.ts";

test.skipIf(process.platform !== "linux")(
  "a folder that is swapped for a link while it is used stays the one it was",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "held-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const [folder, outside] = [join(root, "docs"), join(root, "outside")];
    for (const one of [folder, outside]) mkdirSync(one);
    await inHeldFolder(join(folder, "new.txt"), (held) => {
      renameSync(folder, join(root, "moved"));
      symlinkSync(outside, folder);
      writeFileSync(held, "x");
    });
    expect([readdirSync(outside), readdirSync(join(root, "moved"))]).toEqual([[], ["new.txt"]]);
    await expect(inHeldFolder(join(folder, "x"), () => undefined)).rejects.toThrow(/ELOOP|ENOTDIR/);
    await expect(
      inHeldFolder(join(outside, "x"), (held) => {
        throw new Error(`${held} is not good.`);
      }),
    ).rejects.toThrow(`${join(outside, "x")} is not good.`);
  },
);
