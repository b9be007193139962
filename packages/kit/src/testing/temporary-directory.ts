import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder with a canonical path, removed after the running test. */
export function temporaryDirectory(): string {
  const directory = realpathSync.native(mkdtempSync(join(tmpdir(), "skillet-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
