import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPlace } from "./place.ts";

test("a FIFO in place of a cache file is as good as none", async () => {
  const place = createPlace();
  await place.skillet(["show"]);
  const directory = join(place.home, ".skillet/cache/discovery");
  const files = readdirSync(directory).map((name) => join(directory, name));
  expect(files).not.toEqual([]);
  for (const file of files) {
    rmSync(file);
    execFileSync("mkfifo", [file]);
  }
  expect(await place.within(20, ["show"])).toMatchObject({ exitCode: 0, signal: null });
});
