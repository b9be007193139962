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
import { createLimitGroup, findControlGroup, removeLeftGroups } from "./limit-group.ts";

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

const V1_MOUNTS = [
  "30 29 0:26 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755",
  "31 30 0:27 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory",
  "32 30 0:28 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids",
  "33 30 0:29 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw",
].join("\n");

test("a controller with a hierarchy of its own is found there", () => {
  const texts = { cgroup: "8:pids:/\n4:memory:/app/one\n0::/\n", mountinfo: V1_MOUNTS };
  expect(findControlGroup("memory", texts)).toEqual({
    version: 1,
    mount: "/sys/fs/cgroup/memory",
    folder: "/sys/fs/cgroup/memory/app/one",
  });
  expect(findControlGroup("pids", texts)).toEqual({
    version: 1,
    mount: "/sys/fs/cgroup/pids",
    folder: "/sys/fs/cgroup/pids",
  });
});

test("where there is one hierarchy for all, the controller is looked for there", () => {
  const texts = {
    cgroup: "0::/user.slice/user-1000.slice/run.scope\n",
    mountinfo: "30 29 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
  };
  expect(findControlGroup("memory", texts)).toEqual({
    version: 2,
    mount: "/sys/fs/cgroup",
    folder: "/sys/fs/cgroup/user.slice/user-1000.slice/run.scope",
  });
});

test("a container that sees part of the hierarchy finds its group in that part, or none", () => {
  const mountinfo = "31 30 0:27 /docker/ab /sys/fs/cgroup/my\\040memory rw - cgroup cgroup rw,memory\n";
  const groupOf = (path: string): string | undefined =>
    findControlGroup("memory", { cgroup: `4:memory:${path}\n`, mountinfo })?.folder;
  expect(["/docker/ab", "/docker/ab/c", "/docker/abc", "/", "/docker/ab/../.."].map(groupOf)).toEqual([
    "/sys/fs/cgroup/my memory",
    "/sys/fs/cgroup/my memory/c",
    undefined,
    undefined,
    undefined,
  ]);
});

test("without control groups there is none", () => {
  expect(findControlGroup("memory", { cgroup: "", mountinfo: "" })).toBeUndefined();
  expect(
    findControlGroup("memory", { cgroup: "0::/\n", mountinfo: V1_MOUNTS.replace("cgroup2", "x") }),
  ).toBeUndefined();
});
