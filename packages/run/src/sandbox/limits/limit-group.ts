import { randomBytes } from "node:crypto";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type ControlGroup, type Controller, findControlGroup } from "./control-groups.ts";
import { readSystemFile } from "./read-system-file.ts";
import { LIMIT_GROUP_PREFIX, removeLeftGroups } from "./remove-left-groups.ts";

/** Control groups of one run, which bound everything that enters them together. */
export interface LimitGroup {
  /** Writing `0` into each of these puts the writer into the group. */
  readonly entrances: readonly string[];
  readonly bounds: readonly Controller[];
  /** Whether the kernel ended something because the memory was used up. */
  hasRunOutOfMemory(): Promise<boolean>;
  /** To be called when everything in it has ended. */
  remove(): Promise<void>;
}

// The programs that set the sandbox up stand in the group too.
const WRAPPER_PROCESSES = 16;
// The kernel lets go of a group a moment after its last process: mostly at once, at worst seconds later.
const REMOVAL_PAUSES_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024];
const IMPOSSIBLE = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOENT",
  "EBUSY",
  // More groups than the one above may have.
  "EAGAIN",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EINVAL",
]);

/** Makes the groups of one run below those of this process; undefined where it may not. */
export async function createLimitGroup(limits: {
  readonly memoryBytes: number;
  readonly processes: number;
}): Promise<LimitGroup | undefined> {
  const texts = {
    cgroup: (await readSystemFile("/proc/self/cgroup")) ?? "",
    mountinfo: (await readSystemFile("/proc/self/mountinfo")) ?? "",
  };
  const name = `${LIMIT_GROUP_PREFIX}${process.pid}-${randomBytes(8).toString("hex")}`;
  const made = new Map<Controller, MadeGroup>();
  for (const controller of ["memory", "pids"] as const) {
    const group = await makeGroup(findControlGroup(controller, texts), controller, name);
    if (group === undefined) continue;
    if (await setLimits(group, controller, limits)) made.set(controller, group);
    // The second version has one folder for both.
    else if (![...made.values()].some(({ folder }) => folder === group.folder))
      await removeGroup(group.folder);
  }
  if (made.size === 0) return undefined;
  const folders = [...new Set(Array.from(made.values(), ({ folder }) => folder))];
  const memory = made.get("memory");
  return {
    entrances: folders.map((folder) => join(folder, "cgroup.procs")),
    bounds: [...made.keys()],
    hasRunOutOfMemory: async () => memory !== undefined && (await countKills(memory)) > 0,
    remove: async () => {
      for (const folder of folders) await removeGroup(folder);
    },
  };
}

interface MadeGroup {
  readonly version: 1 | 2;
  readonly folder: string;
}

async function makeGroup(
  own: ControlGroup | undefined,
  controller: Controller,
  name: string,
): Promise<MadeGroup | undefined> {
  const parent = own && (await parentFor(own, controller));
  if (own === undefined || parent === undefined) return undefined;
  const folder = join(parent, name);
  try {
    await removeLeftGroups(parent);
    await mkdir(folder, { recursive: true });
    return { version: own.version, folder };
  } catch (error) {
    return unlessImpossible(error);
  }
}

/**
 * The second version gives controllers only to the children of a group that has no processes itself, so that ours
 * mostly has to stand beside the group of this process; not where that would slip out of a limit of its own.
 */
async function parentFor(own: ControlGroup, controller: Controller): Promise<string | undefined> {
  if (own.version === 1) return own.folder;
  const passesOn = async (folder: string): Promise<boolean> =>
    ((await readSystemFile(join(folder, "cgroup.subtree_control"))) ?? "")
      .trim()
      .split(" ")
      .includes(controller);
  if (await passesOn(own.folder)) return own.folder;
  const limit = (await readSystemFile(join(own.folder, `${controller}.max`)))?.trim();
  if (own.folder === own.mount || limit !== "max") return undefined;
  return (await passesOn(dirname(own.folder))) ? dirname(own.folder) : undefined;
}

async function setLimits(
  { version, folder }: MadeGroup,
  controller: Controller,
  { memoryBytes, processes }: { readonly memoryBytes: number; readonly processes: number },
): Promise<boolean> {
  if (controller === "pids") return writeLimit(folder, "pids.max", processes + WRAPPER_PROCESSES);
  if (version === 2) {
    await writeLimit(folder, "memory.swap.max", 0);
    return writeLimit(folder, "memory.max", memoryBytes);
  }
  const limited = await writeLimit(folder, "memory.limit_in_bytes", memoryBytes);
  // Not there where swap is not accounted for.
  await writeLimit(folder, "memory.memsw.limit_in_bytes", memoryBytes);
  return limited;
}

async function writeLimit(folder: string, file: string, value: number): Promise<boolean> {
  try {
    await writeFile(join(folder, file), String(value), { flag: "r+" });
    return true;
  } catch (error) {
    unlessImpossible(error);
    return false;
  }
}

async function countKills({ version, folder }: MadeGroup): Promise<number> {
  const text = await readSystemFile(join(folder, version === 1 ? "memory.oom_control" : "memory.events"));
  return Number(/^oom_kill (\d+)$/m.exec(text ?? "")?.[1] ?? 0);
}

async function removeGroup(folder: string): Promise<void> {
  for (const pause of [...REMOVAL_PAUSES_MS, undefined]) {
    try {
      return await rmdir(folder);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "ENOENT") return;
      // Left for the next run to clean up; the script has ended, and its outcome matters more.
      if (code !== "EBUSY" || pause === undefined) return unlessImpossible(error);
      await delay(pause);
    }
  }
}

function unlessImpossible(error: unknown): undefined {
  if (error instanceof Error && "code" in error && IMPOSSIBLE.has(String(error.code))) return undefined;
  throw error;
}
