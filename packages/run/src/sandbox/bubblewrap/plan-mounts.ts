import type { BigIntStats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { SkilletError } from "@skillet/core";
import { folderRefusal } from "../folder-refusal.ts";
import type { SandboxJob } from "../sandbox.ts";
import { SKILL_PLACE } from "../sandbox-places.ts";
import { OBEYED_PATHS, secretPaths } from "./sensitive-paths.ts";
import { userHomes } from "./user-homes.ts";

/** One file or folder of the host that a script sees, or one that is hidden from it. */
export interface Mount {
  /** Where the script finds it. */
  readonly path: string;
  /** Where it lies on the host. */
  readonly source: string;
  readonly access: "read-only" | "writable" | "hidden";
  /** Given: the job names it. Guard: it only takes away from what is given. */
  readonly purpose: "given" | "guard";
  /** As it was when it was looked at; a link put in its place later is found out by this. */
  readonly stats: BigIntStats;
}

type Found = Pick<Mount, "path" | "source" | "stats">;

// Each costs the kernel a mount and a start some microseconds; nobody grants so many folders.
const MAX_MOUNTS = 500;

/**
 * What a job makes visible of the host, in the order in which it has to be mounted: what lies deeper comes later.
 * `programs` are what it needs outside the system's folders.
 */
export async function planMounts(job: SandboxJob, programs: readonly string[]): Promise<Mount[]> {
  const given = await planGiven(job, programs);
  const guards = await planGuards([...job.protect, ...programs], job.skill.directory, given);
  const mounts = [
    ...given.filter(({ path }) => guards.get(path)?.access !== "read-only"),
    ...guards.values(),
  ];
  if (mounts.length > MAX_MOUNTS)
    throw new SkilletError(
      "sandbox-folder-refused",
      `A script was to be given ${mounts.length} files and folders; at most ${MAX_MOUNTS} can be. Grant a folder above them.`,
    );
  return mounts.sort(
    (left, right) => depthOf(left.path) - depthOf(right.path) || (left.path < right.path ? -1 : 1),
  );
}

async function planGiven(job: SandboxJob, programs: readonly string[]): Promise<Mount[]> {
  const folders = new Map<string, Mount["access"]>();
  for (const program of programs) folders.set(program, "read-only");
  if (job.workspace !== undefined) folders.set(job.workspace, "read-only");
  for (const folder of job.writable) folders.set(folder, "writable");
  const skill = await lookAtFolder(job.skill.directory);
  const given: Mount[] = [{ ...skill, path: SKILL_PLACE, access: "read-only", purpose: "given" }];
  for (const [folder, access] of folders) {
    const reason = folderRefusal(folder);
    if (reason !== undefined) throw refusal(folder, `${reason}.`);
    const found = programs.includes(folder) ? await lookAtProgram(folder) : await lookAtFolder(folder);
    given.push({ ...found, access, purpose: "given" });
  }
  return given;
}

/** What stays read-only inside writable folders, and what stays out of sight in any. */
async function planGuards(
  protect: readonly string[],
  staged: string,
  mounts: readonly Mount[],
): Promise<Map<string, Mount>> {
  const given = new Map(mounts.map((mount) => [mount.path, mount]));
  const guards = new Map<string, Mount>();
  const writable = [...given.values()]
    .filter(({ access }) => access === "writable")
    .map(({ path }) => `${path}/`);
  // With the staged copies of other skills beside it.
  const own = [...protect, staged, dirname(staged)];
  // Whoever grants one of these by its own name means it.
  const obeyed = writable
    .flatMap((folder) => OBEYED_PATHS.map((name) => `${folder}${name}`))
    .filter((path) => !given.has(path));
  for (const path of [...own, ...obeyed]) {
    const found = writable.some((folder) => path.startsWith(folder)) ? await look(path) : undefined;
    if (found === undefined) continue;
    guards.set(path, { ...found, access: "read-only", purpose: "guard" });
    for (const parent of foldersBetween(path, writable)) {
      // A folder that is no mount itself could be renamed, with what is mounted in it, and made anew.
      const pinned = given.has(parent) || guards.has(parent) ? undefined : await look(parent);
      if (pinned !== undefined) guards.set(parent, { ...pinned, access: "writable", purpose: "guard" });
    }
  }
  const homes = userHomes();
  for (const path of [...given.keys()].flatMap((folder) => secretPaths(folder, homes))) {
    const found = given.has(path) ? undefined : await look(path);
    if (found !== undefined) guards.set(path, { ...found, access: "hidden", purpose: "guard" });
  }
  return withoutCovered(guards);
}

async function lookAtFolder(folder: string): Promise<Found> {
  const found = await look(folder);
  if (found?.stats.isDirectory()) return found;
  throw refusal(folder, "there is no folder of that name, or a link leads to it. Pass its real path.");
}

async function lookAtProgram(path: string): Promise<Found> {
  const found = await look(path);
  if (found !== undefined) return found;
  throw refusal(path, "the interpreter is not there, or a link leads to it. Run it again.");
}

/** Only files and folders that are reached without a link: a mount over a link would land where it points. */
async function look(path: string): Promise<Found | undefined> {
  try {
    if ((await realpath(path)) !== path) return undefined;
    const stats = await lstat(path, { bigint: true });
    return stats.isFile() || stats.isDirectory() ? { path, source: path, stats } : undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES" || code === "ELOOP") return undefined;
    throw error;
  }
}

function foldersBetween(path: string, writable: readonly string[]): string[] {
  const between: string[] = [];
  const isInside = (folder: string): boolean => writable.some((root) => folder.startsWith(root));
  for (let parent = dirname(path); isInside(parent); parent = dirname(parent)) between.push(parent);
  return between;
}

/** Below what is hidden there is nothing to guard, and what is read-only as a whole needs no pins inside. */
function withoutCovered(guards: ReadonlyMap<string, Mount>): Map<string, Mount> {
  const covers = (outer: Mount, inner: Mount): boolean =>
    inner.path.startsWith(`${outer.path}/`) &&
    (outer.access === "hidden" || (outer.access === "read-only" && inner.access !== "hidden"));
  const all = [...guards.values()];
  return new Map(
    all.filter((inner) => !all.some((outer) => covers(outer, inner))).map((mount) => [mount.path, mount]),
  );
}

function refusal(folder: string, reason: string): SkilletError {
  return new SkilletError("sandbox-folder-refused", `A script cannot be given ${folder}: ${reason}`, {
    data: { folder },
  });
}

function depthOf(path: string): number {
  return path.split("/").length;
}
