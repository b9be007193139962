import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { type FolderWatcher, type WatchTargets, watchFolders } from "./watch-folders.ts";

function start(targets: Partial<WatchTargets>): FolderWatcher & { nextChange(): Promise<unknown> } {
  const events = new EventTarget();
  const watcher = watchFolders(() => events.dispatchEvent(new Event("change")));
  onTestFinished(() => watcher.close());
  watcher.update({ files: [], folders: [], ...targets });
  return Object.assign(watcher, { nextChange: () => once(events, "change") });
}

test("more folders than are watched are counted as polled, and files come first", () => {
  const base = temporaryDirectory();
  const folders = Array.from({ length: 4_200 }, (_, index) => join(base, String(index)));
  for (const folder of folders) mkdirSync(folder);
  const watcher = start({ files: [join(base, "config.yaml")], folders });
  const { watched, polled } = watcher.coverage;
  expect(watched).toBeLessThanOrEqual(4_096);
  expect(watched + polled).toBe(4_201);
  watcher.update({ files: [], folders: folders.slice(0, 3) });
  expect(watcher.coverage.watched + watcher.coverage.polled).toBe(3);
});

test("a folder and a file that are not there yet are watched for by name in the folder above", async () => {
  const base = temporaryDirectory();
  const missing = join(base, "skills/deep");
  const watcher = start({ files: [join(base, "home/config.yaml")], folders: [missing] });
  expect(watcher.coverage).toEqual({ watched: 1, polled: 0 });
  const heard = watcher.nextChange();
  mkdirSync(missing, { recursive: true });
  await heard;
});

test("what happens to other names in a folder that is watched for one is not heard", async () => {
  const base = temporaryDirectory();
  let changes = 0;
  const quiet = watchFolders(() => changes++);
  onTestFinished(() => quiet.close());
  quiet.update({ files: [join(base, "config.yaml")], folders: [] });
  // This one hears everything: when it has heard the last change, the other was told of all.
  const loud = start({ folders: [base] });
  for (const name of ["history", "config.yaml.tmp"]) {
    const heard = loud.nextChange();
    writeFileSync(join(base, name), "");
    await heard;
  }
  expect(changes).toBe(0);
  const heard = loud.nextChange();
  writeFileSync(join(base, "config.yaml"), "");
  await heard;
  expect(changes).toBeGreaterThan(0);
});

test("a path that no system takes is watched for in the nearest folder that is there", () => {
  const base = temporaryDirectory();
  rmSync(join(base, "none"), { force: true });
  const watcher = start({ folders: [join(base, "a".repeat(300))] });
  expect(watcher.coverage).toEqual({ watched: 1, polled: 0 });
});
