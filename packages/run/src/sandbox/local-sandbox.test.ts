import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeScratch } from "./local-sandbox.ts";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "skillet-scratch-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a private folder goes, also with folders in it that a script made read-only", async () => {
  const folder = scratch();
  mkdirSync(join(folder, "kept/inner"), { recursive: true });
  writeFileSync(join(folder, "kept/inner/file"), "");
  chmodSync(join(folder, "kept/inner"), 0o500);
  chmodSync(join(folder, "kept"), 0o000);
  expect(await removeScratch(folder)).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

test("one that cannot be removed is told, and costs nothing else", async () => {
  const file = join(scratch(), "file");
  writeFileSync(file, "");
  const folder = join(file, "folder");
  expect(await removeScratch(folder)).toEqual([
    `Its private folder ${folder} could not be removed (ENOTDIR); remove it by hand.`,
  ]);
});
