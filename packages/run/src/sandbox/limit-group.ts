import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode, undefinedOn } from "@skillet/kit/errors";
import { isInside, signalReaches } from "@skillet/kit/files";
import type { RunLimits } from "../run-limits.ts";

export interface LimitGroup {
  /** Writing `0` into each of these puts the writer into the group. */
  readonly entrances: readonly string[];
  readonly bounds: readonly Controller[];
  hasRunOutOfMemory(): Promise<boolean>;
  /** To be called when everything in it has ended. */
  remove(): Promise<void>;
}

type Controller = "memory" | "pids";

// The programs that set the sandbox up are in the group too.
const WRAPPER_PROCESSES = 16;
// The kernel lets go of a group a moment after its last process: mostly at once, at worst seconds later.
const REMOVAL_PAUSES_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024];
// EAGAIN: more groups than the one above may have.
const unlessImpossible = undefinedOn(
  ...["EACCES", "EPERM", "EROFS", "ENOENT", "EBUSY", "EAGAIN", "ENOTSUP", "EOPNOTSUPP", "EINVAL"],
);

/** Makes the groups of one run below those of this process; undefined where it may not. */
export async function createLimitGroup(
  limits: Pick<RunLimits, "memoryBytes" | "processes">,
): Promise<LimitGroup | undefined> {
  const texts = {
    cgroup: (await readSystemFile("/proc/self/cgroup")) ?? "",
    mountinfo: (await readSystemFile("/proc/self/mountinfo")) ?? "",
  };
  const name = `skillet-${process.pid}-${randomBytes(8).toString("hex")}`;
  const made = new Map<Controller, Group>();
  for (const controller of ["memory", "pids"] as const) {
    const group = await makeGroup(findControlGroup(controller, texts), controller, name);
    if (group === undefined) continue;
    if (await setLimits(group, controller, limits)) made.set(controller, group);
    // Version 2 has one folder for both.
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

interface Group {
  readonly version: 1 | 2;
  readonly folder: string;
}

async function makeGroup(
  own: ControlGroup | undefined,
  controller: Controller,
  name: string,
): Promise<Group | undefined> {
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
 * Version 2 gives controllers only to the children of a group that has no processes itself, so ours mostly has to be
 * beside the group of this process; not where that would slip out of a limit of its own.
 */
async function parentFor(own: ControlGroup, controller: Controller): Promise<string | undefined> {
  if (own.version === 1) return own.folder;
  const passesOn = async (folder: string): Promise<boolean> => {
    const controllers = (await readSystemFile(join(folder, "cgroup.subtree_control"))) ?? "";
    return controllers.trim().split(" ").includes(controller);
  };
  if (await passesOn(own.folder)) return own.folder;
  const limit = (await readSystemFile(join(own.folder, `${controller}.max`)))?.trim();
  if (own.folder === own.mount || limit !== "max") return undefined;
  return (await passesOn(dirname(own.folder))) ? dirname(own.folder) : undefined;
}

async function setLimits(
  { version, folder }: Group,
  controller: Controller,
  { memoryBytes, processes }: Pick<RunLimits, "memoryBytes" | "processes">,
): Promise<boolean> {
  const set = async (file: string, value: number): Promise<boolean> =>
    (await writeFile(join(folder, file), String(value), { flag: "r+" }).then(() => true, unlessImpossible)) ??
    false;
  if (controller === "pids") return set("pids.max", processes + WRAPPER_PROCESSES);
  if (version === 2) {
    await set("memory.swap.max", 0);
    return set("memory.max", memoryBytes);
  }
  const limited = await set("memory.limit_in_bytes", memoryBytes);
  // Not there where swap is not accounted for.
  await set("memory.memsw.limit_in_bytes", memoryBytes);
  return limited;
}

async function countKills({ version, folder }: Group): Promise<number> {
  const text = await readSystemFile(join(folder, version === 1 ? "memory.oom_control" : "memory.events"));
  return Number(/^oom_kill (\d+)$/m.exec(text ?? "")?.[1] ?? 0);
}

async function removeGroup(folder: string): Promise<void> {
  for (const pause of [...REMOVAL_PAUSES_MS, undefined]) {
    try {
      return await rmdir(folder);
    } catch (error) {
      // Left for the next run to clean up; the script has ended, and its outcome matters more.
      if (errorCode(error) !== "EBUSY" || pause === undefined) return unlessImpossible(error);
      await delay(pause);
    }
  }
}

interface ControlGroup extends Group {
  readonly mount: string;
}

/** Finds a controller's group of this process, from the texts of /proc/self/cgroup and /proc/self/mountinfo. */
export function findControlGroup(
  controller: Controller,
  texts: { readonly cgroup: string; readonly mountinfo: string },
): ControlGroup | undefined {
  const memberships = texts.cgroup.split("\n").flatMap((line) => {
    const [, hierarchy = "", controllers = "", path = ""] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    return path === "" ? [] : [{ hierarchy, controllers: controllers.split(","), path }];
  });
  const first = memberships.find(({ controllers }) => controllers.includes(controller));
  const membership = first ?? memberships.find(({ hierarchy }) => hierarchy === "0");
  if (membership === undefined) return undefined;
  const version = first === undefined ? 2 : 1;
  const mount = parseMounts(texts.mountinfo).find(({ type, options }) =>
    version === 2 ? type === "cgroup2" : type === "cgroup" && options.includes(controller),
  );
  const folder = mount && folderInMount(mount, membership.path);
  return mount && folder !== undefined ? { version, mount: mount.point, folder } : undefined;
}

interface GroupMount {
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly options: readonly string[];
}

function parseMounts(text: string): GroupMount[] {
  return text.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , root = "", point = ""] = before.split(" ").map(unescapeMount);
    const [type = "", , options = ""] = after.split(" ");
    return type.startsWith("cgroup") ? [{ root, point, type, options: options.split(",") }] : [];
  });
}

// The kernel writes spaces and the like as octal.
function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

// In a container the mount shows part of the hierarchy; a group outside that part cannot be reached.
function folderInMount({ root, point }: GroupMount, path: string): string | undefined {
  if (path.split("/").includes("..") || !isInside(path, root)) return undefined;
  const inside = root === "/" ? path : path.slice(root.length);
  return inside === "/" ? point : `${point}${inside}`;
}

// Between its making and its first process a group is empty; its maker may be in a namespace that we cannot see into.
const LEFT_AFTER_MS = 60 * 1000;

/** Removes groups left over from a crash; those that still hold a process stay, since the kernel keeps them. */
export async function removeLeftGroups(parent: string, nowMs: number = Date.now()): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid] = /^skillet-(\d+)-[0-9a-f]+$/.exec(name) ?? [];
    if (pid === undefined || signalReaches(Number(pid))) continue;
    const folder = join(parent, name);
    try {
      const { mtimeMs } = await stat(folder);
      if (nowMs - mtimeMs > LEFT_AFTER_MS) await rmdir(folder);
    } catch (error) {
      // Still in use, another user's, or gone already.
      undefinedOn("EBUSY", "EACCES", "EPERM", "ENOENT")(error);
    }
  }
}

// No file of the kernel or the distribution that is read here is longer, lists of mounts included.
const MAX_SYSTEM_FILE_CHARACTERS = 1024 * 1024;
const unlessAbsent = undefinedOn(
  ...["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ENODEV", "EOPNOTSUPP", "EINVAL"],
);

/** The text of a file of the system, such as one below /proc; undefined where there is none to be read. */
export async function readSystemFile(path: string): Promise<string | undefined> {
  return (await readFile(path, "utf8").catch(unlessAbsent))?.slice(0, MAX_SYSTEM_FILE_CHARACTERS);
}

// The soft limit sends SIGXCPU, which tells why; a process that ignores it is killed this much later.
const CPU_GRACE_SECONDS = 1;
const LOCKED_BYTES = 64 * 1024;
// bubblewrap's own first process in the namespace.
const REAPER = 1;

export function prlimitArguments(limits: RunLimits, mark?: string): string[] {
  const processes = limits.processes + REAPER;
  return [
    // RLIMIT_AS breaks V8, which reserves far more address space than it uses.
    `--data=${limits.memoryBytes}:${limits.memoryBytes}`,
    `--nproc=${processes}:${processes}`,
    `--fsize=${limits.fileBytes}:${limits.fileBytes}`,
    `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + CPU_GRACE_SECONDS}`,
    `--nofile=${limits.openFiles}:${limits.openFiles}`,
    // The kernel pipes a core to a program of root's whatever the limit is, except this one; a core file is not written.
    "--core=1:1",
    // Memory that cannot be moved to a disk, and of which a script needs none.
    `--memlock=${LOCKED_BYTES}:${LOCKED_BYTES}`,
    ...(mark === undefined ? [] : [`--rttime=${mark}:${mark}`]),
  ];
}
