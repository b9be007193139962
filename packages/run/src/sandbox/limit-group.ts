import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode, undefinedOn } from "@skillet/kit/errors";
import { isInside, signalReaches } from "@skillet/kit/files";
import type { RunLimits } from "../run-limits.ts";

export interface LimitGroup {
  /** A process that writes `0` into each of these files joins the group. */
  readonly entrances: readonly string[];
  readonly bounds: readonly Controller[];
  hasRunOutOfMemory(): Promise<boolean>;
  /** Call it after every process in the group has ended. */
  remove(): Promise<void>;
}

type Controller = "memory" | "pids";

// The programs that set up the sandbox are in the group too.
const WRAPPER_PROCESSES = 16;
// The kernel releases a group after its last process ends: usually immediately, at worst seconds later.
const REMOVAL_PAUSES_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024];
// EAGAIN: the parent group already has the maximum number of groups.
const unlessImpossible = undefinedOn(
  ...["EACCES", "EPERM", "EROFS", "ENOENT", "EBUSY", "EAGAIN", "ENOTSUP", "EOPNOTSUPP", "EINVAL"],
);

/** Makes the groups of one run below those of this process; undefined if it may not. */
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
    // In version 2 both controllers share one folder.
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
 * Version 2 enables controllers only for the children of a group without processes of its own, so our group
 * usually has to be a sibling of this process's group; unless that would escape a limit of that group.
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
  // Missing if the kernel does not account for swap.
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
      // The next run cleans it up; the script has ended, and its outcome matters more.
      if (errorCode(error) !== "EBUSY" || pause === undefined) return unlessImpossible(error);
      await delay(pause);
    }
  }
}

interface ControlGroup extends Group {
  readonly mount: string;
}

/** Finds this process's group for a controller in the texts of /proc/self/cgroup and /proc/self/mountinfo. */
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

// The kernel escapes spaces and the like in octal.
function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

// In a container the mount shows part of the hierarchy; a group outside that part cannot be reached.
function folderInMount({ root, point }: GroupMount, path: string): string | undefined {
  if (path.split("/").includes("..") || !isInside(path, root)) return undefined;
  const inside = root === "/" ? path : path.slice(root.length);
  return inside === "/" ? point : `${point}${inside}`;
}

// A new group is empty until its first process joins, and its maker may be in a namespace that we cannot see.
const LEFT_AFTER_MS = 60 * 1000;

/** Removes groups left over from a crash; the kernel keeps those that still contain a process. */
export async function removeLeftGroups(parent: string, nowMs: number = Date.now()): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid] = /^skillet-(\d+)-[0-9a-f]+$/.exec(name) ?? [];
    if (pid === undefined || signalReaches(Number(pid))) continue;
    const folder = join(parent, name);
    try {
      const { mtimeMs } = await stat(folder);
      if (nowMs - mtimeMs > LEFT_AFTER_MS) await rmdir(folder);
    } catch (error) {
      // Still in use, owned by another user, or already gone.
      undefinedOn("EBUSY", "EACCES", "EPERM", "ENOENT")(error);
    }
  }
}

// Larger than any kernel or distribution file that is read here, including mount lists.
const MAX_SYSTEM_FILE_CHARACTERS = 1024 * 1024;
const unlessAbsent = undefinedOn(
  ...["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ENODEV", "EOPNOTSUPP", "EINVAL"],
);

/** The text of a system file, such as one below /proc; undefined if it is missing or unreadable. */
export async function readSystemFile(path: string): Promise<string | undefined> {
  return (await readFile(path, "utf8").catch(unlessAbsent))?.slice(0, MAX_SYSTEM_FILE_CHARACTERS);
}

// The soft limit sends SIGXCPU, which names the cause; a process that ignores it is killed this much later.
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
    // At any limit but 1 the kernel pipes cores to a handler run as root; at 1 it writes no core file either.
    "--core=1:1",
    // Memory that cannot be swapped out, which scripts do not need.
    `--memlock=${LOCKED_BYTES}:${LOCKED_BYTES}`,
    ...(mark === undefined ? [] : [`--rttime=${mark}:${mark}`]),
  ];
}
