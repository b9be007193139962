import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createLimitGroup } from "./limit-group.ts";
import { removeLeftGroups } from "./remove-left-groups.ts";

const trial = await createLimitGroup({ memoryBytes: 64 << 20, processes: 10 });
await trial?.remove();
if (trial === undefined) console.warn("Tests of control groups are skipped: this user cannot make any.");

test.skipIf(trial === undefined)(
  "a group has the limits that were asked for, and is gone when it is removed",
  async () => {
    const group = (await createLimitGroup({ memoryBytes: 64 << 20, processes: 10 }))!;
    const folders = group.entrances.map(dirname);
    const limits = folders.flatMap((folder) =>
      ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.max", "pids.max"]
        .filter((file) => existsSync(join(folder, file)))
        .map((file) => `${file} ${readFileSync(join(folder, file), "latin1").trim()}`),
    );
    expect(limits).toEqual(
      limits.map((line) => (line.startsWith("pids") ? "pids.max 26" : `${line.split(" ")[0]} ${64 << 20}`)),
    );
    expect(limits.length).toBeGreaterThan(0);
    expect(await group.hasRunOutOfMemory()).toBe(false);
    await group.remove();
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
    await group.remove();
  },
);

test("groups of processes that are gone are removed, others stay", async () => {
  const parent = mkdtempSync(join(tmpdir(), "skillet-groups-"));
  try {
    // No process has a number above this on Linux.
    const gone = 2 ** 22 + 1;
    for (const name of [
      `skillet-${gone}-ab`,
      `skillet-${process.pid}-ab`,
      "skillet-x",
      "other",
      `skillet-${gone}-cd`,
    ])
      mkdirSync(join(parent, name));
    await removeLeftGroups(parent);
    expect(readdirSync(parent)).toHaveLength(5);
    writeFileSync(join(parent, "file"), "");
    await removeLeftGroups(parent, Date.now() + 61_000);
    expect(readdirSync(parent).sort()).toEqual(["file", "other", `skillet-${process.pid}-ab`, "skillet-x"]);
  } finally {
    rmSync(parent, { recursive: true });
  }
});
