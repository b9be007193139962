import type { BigIntStats } from "node:fs";
import { lstat, opendir, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, SkilletError, undefinedOn } from "@skillet/kit/errors";
import { canonicalPath, INSTRUCTION_PATHS, isInside, OBEYED_PATHS } from "@skillet/kit/files";
import { checkGiven, folderRefused, homesSeenIn, secretPaths, userHomes } from "../folder-refusal.ts";
import { type SandboxJob, SKILL_PLACE } from "../sandbox.ts";
import { inMountOrder, type Mount, nearestMount } from "./bubblewrap-arguments.ts";
import { findRepositories } from "./find-repositories.ts";

// Each mount costs the kernel memory, and a start some microseconds; no host grants this many folders.
const MAX_MOUNTS = 500;

/** Mounts in mount order; `programs` are the paths that the job needs outside the system's folders. */
export async function planMounts(
  job: SandboxJob,
  programs: readonly string[],
): Promise<{ readonly mounts: readonly Mount[]; readonly weaknesses: readonly string[] }> {
  const given = await planGiven(job, programs);
  const { guards, weaknesses } = await planGuards(job, given);
  const mounts = [...given, ...guards];
  if (mounts.length > MAX_MOUNTS) {
    const message = `The sandbox would need ${mounts.length} mounts; the maximum is ${MAX_MOUNTS}. Grant a parent folder instead, but not a home.`;
    throw new SkilletError("sandbox-folder-refused", message);
  }
  mounts.sort(inMountOrder);
  return { mounts, weaknesses };
}

async function planGiven(job: SandboxJob, programs: readonly string[]): Promise<Mount[]> {
  const folders = new Map<string, Mount["access"]>();
  if (job.workspace !== undefined) folders.set(job.workspace, "read-only");
  for (const folder of job.writable) folders.set(folder, "writable");
  for (const program of programs) {
    if (folders.get(program) === "writable")
      throw folderRefused(program, "the interpreter lies there; grant writing to another folder");
    folders.set(program, "read-only");
  }
  const skill = await look(job.skill.directory, "folder");
  const given: Mount[] = [{ ...skill, path: SKILL_PLACE, access: "read-only", purpose: "given" }];
  const homes = userHomes();
  for (const [folder, access] of folders) {
    checkGiven(folder, { isWritable: access === "writable", homes });
    const found = await look(folder, programs.includes(folder) ? "program" : "folder");
    given.push({ ...found, access, purpose: "given" });
  }
  return given;
}

const MISSING = {
  folder: "there is no folder of that name, or a link leads to it; pass its real path",
  program: "the interpreter is not there, or a link leads to it; run it again",
};

async function look(
  path: string,
  wanted: keyof typeof MISSING,
): Promise<Pick<Mount, "path" | "source" | "stats">> {
  const looked = await lookAt(path);
  if (
    looked.kind === "there" &&
    (looked.stats.isDirectory() || (wanted === "program" && looked.stats.isFile()))
  )
    return { path, source: path, stats: looked.stats };
  throw folderRefused(path, MISSING[wanted]);
}

async function planGuards(
  job: SandboxJob,
  given: readonly Mount[],
): Promise<{ readonly guards: readonly Mount[]; readonly weaknesses: readonly string[] }> {
  const guards = new GuardList(given);
  const weaknesses: string[] = [];
  for (const { path } of given) await guards.pinAbove(path);
  for (const path of job.protect) await protect(path, { guards, given });
  for (const { path } of given.filter(({ access }) => access === "writable")) {
    for (const name of OBEYED_PATHS)
      await guards.add(join(path, name), "read-only", { mayBeLink: INSTRUCTION_PATHS.includes(name) });
    const { paths, closed, isComplete } = await findRepositories(path);
    for (const repository of paths) await guards.add(repository, "read-only");
    for (const folder of closed) await guards.close(folder);
    if (!isComplete)
      weaknesses.push(
        `${path} has folders deeper than is searched for repositories: hooks of those further down are not protected.`,
      );
  }
  // This folder also holds other skills' staged copies, records and trust decisions.
  await guards.add(job.home ?? dirname(job.skill.directory), "hidden");
  const homes = userHomes();
  for (const { path } of given.filter(({ path }) => path !== SKILL_PLACE)) {
    const entries = await Promise.all(homesSeenIn(path, homes).map(homeEntries));
    for (const secret of new Set([...entries.flat(), ...secretPaths(path, homes)]))
      await guards.add(secret, "hidden");
  }
  return { guards: guards.mounts(), weaknesses };
}

async function protect(
  asked: string,
  { guards, given }: { readonly guards: GuardList; readonly given: readonly Mount[] },
): Promise<void> {
  const path = canonicalPath(resolve(asked));
  const granted = given.find((mount) => mount.access === "writable" && isInside(mount.path, path));
  if (granted !== undefined)
    throw folderRefused(granted.path, `${path} must not change; grant another folder`);
  await guards.add(path, "read-only");
  const above = nearestMount(path, given);
  if (
    above?.access === "writable" &&
    !guards.mounts().some((mount) => isInside(path, mount.path) && mount.access !== "writable")
  )
    throw folderRefused(
      above.path,
      `${path} must not change, but does not exist yet; create it first, or grant another folder`,
    );
}

class GuardList {
  readonly #given: readonly Mount[];
  readonly #paths: ReadonlySet<string>;
  readonly #guards = new Map<string, Mount>();

  constructor(given: readonly Mount[]) {
    this.#given = given;
    this.#paths = new Set(given.map(({ path }) => path));
  }

  /**
   * Makes a path read-only or hidden if a script would otherwise see it. A path granted by its own name stays
   * so. `mayBeLink`: a link is customary there, so its target is guarded instead of the link.
   */
  async add(
    path: string,
    access: "read-only" | "hidden",
    options: { readonly mayBeLink?: boolean } = {},
  ): Promise<void> {
    const above = nearestMount(path, this.#given);
    if (above === undefined || this.#paths.has(path)) return;
    if (access === "read-only" && above.access !== "writable") return;
    const looked = await lookAt(path);
    if (looked.kind === "there") return this.#set(path, access, looked.stats);
    if (looked.kind === "closed") return this.#close(looked.folder, above);
    if (looked.kind === "absent") return;
    const { target } = looked;
    const seen = target === undefined ? undefined : nearestMount(target, this.#given);
    const isLoose = above.access === "writable" && options.mayBeLink !== true;
    // A script that may write there could replace the link, and the next run would not know the old target.
    if (isLoose && (access === "read-only" || target === undefined || seen !== undefined))
      throw folderRefused(
        above.path,
        `${path} is reached through a link, so it cannot be kept safe from a script that may write there; put the file itself in the link's place, remove it, or do not grant writing`,
      );
    if (target === undefined || seen === undefined || this.#paths.has(target)) return;
    const linked = await lookAt(target);
    if (linked.kind === "there") await this.#set(target, access, linked.stats);
  }

  /** Hides a folder that cannot be listed, since it is unknown what in it would have to be guarded. */
  async close(folder: string): Promise<void> {
    const above = nearestMount(folder, this.#given);
    if (above === undefined) return;
    const looked = await lookAt(folder);
    await this.#close(looked.kind === "closed" ? looked.folder : folder, above);
  }

  /** Mounts the folders above a path, so that no script can rename them with the mount and recreate them. */
  async pinAbove(path: string): Promise<void> {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const above = nearestMount(folder, this.#given);
      if (above === undefined || above.path === folder || above.access !== "writable") return;
      if (this.#guards.has(folder)) continue;
      const looked = await lookAt(folder);
      if (looked.kind !== "there")
        throw folderRefused(above.path, `${folder} was replaced while it was looked at; run it again`);
      this.#guards.set(folder, { ...mountOf(folder, looked.stats), access: "writable" });
    }
  }

  /** The mounts without redundant ones: below a hidden or read-only folder there is nothing to guard. */
  mounts(): Mount[] {
    const all = [...this.#guards.values()];
    const covers = (outer: Mount, inner: Mount): boolean =>
      inner.path.startsWith(`${outer.path}/`) &&
      // Folders given below it are mounted on top of it again.
      !nearestMount(inner.path, this.#given)?.path.startsWith(`${outer.path}/`) &&
      (outer.access === "hidden" || (outer.access === "read-only" && inner.access !== "hidden"));
    return all.filter((inner) => !all.some((outer) => covers(outer, inner)));
  }

  // The script runs as the folder's owner, so it could open a folder that cannot be searched now.
  async #close(folder: string, above: Mount): Promise<void> {
    if (above.access !== "writable") return;
    const looked = await lookAt(folder);
    if (looked.kind !== "there" || !isInside(folder, above.path) || this.#paths.has(folder))
      throw folderRefused(
        above.path,
        `${folder} cannot be searched, so what lies in it cannot be kept safe; open it to its owner`,
      );
    await this.#set(folder, "hidden", looked.stats);
  }

  async #set(path: string, access: "read-only" | "hidden", stats: BigIntStats): Promise<void> {
    if (this.#guards.get(path)?.access !== "hidden")
      this.#guards.set(path, { ...mountOf(path, stats), access });
    await this.pinAbove(path);
  }
}

function mountOf(path: string, stats: BigIntStats): Pick<Mount, "path" | "source" | "purpose" | "stats"> {
  return { path, source: path, purpose: "guard", stats };
}

// A home with more entries is not ordinary, and each hidden name costs a mount.
const MAX_HOME_ENTRIES = 20_000;

/** All dot entries, and `snap`, where programs of Ubuntu keep settings, histories and credentials. */
export async function homeEntries(home: string): Promise<string[]> {
  const found: string[] = [];
  let count = 0;
  try {
    for await (const { name } of await opendir(home)) {
      count += 1;
      if (count > MAX_HOME_ENTRIES)
        throw folderRefused(
          home,
          `it is a home with more than ${MAX_HOME_ENTRIES} entries; grant a project's folder`,
        );
      if (name.startsWith(".") || name === "snap") found.push(join(home, name));
    }
  } catch (error) {
    // A home that cannot be listed here cannot be listed inside either; known names are hidden all the same.
    return undefinedOn("ENOENT", "ENOTDIR", "EACCES")(error) ?? [];
  }
  return found.sort();
}

/** What is at a path of the host. Links are a kind of their own: a mount over a link lands at its target. */
type Looked =
  | { readonly kind: "there"; readonly path: string; readonly stats: BigIntStats }
  /** Reached through a link, at the path or above it; `target` is the final destination, if it exists. */
  | { readonly kind: "link"; readonly target?: string }
  /** This user cannot enter a folder on the way. */
  | { readonly kind: "closed"; readonly folder: string }
  | { readonly kind: "absent" };

export async function lookAt(path: string): Promise<Looked> {
  try {
    const stats = await lstat(path, { bigint: true });
    // Undefined for a link that is dangling, circular, or leads where this user cannot go.
    const target = await realpath(path).catch(undefinedOn("ENOENT", "ENOTDIR", "ELOOP", "EACCES"));
    if (target === path) return { kind: "there", path, stats };
    return { kind: "link", ...(target !== undefined && { target }) };
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    if (code === "ELOOP") return { kind: "link" };
    if (code === "EACCES") return { kind: "closed", folder: await findClosed(dirname(path)) };
    throw error;
  }
}

async function findClosed(folder: string): Promise<string> {
  try {
    await lstat(folder);
    return folder;
  } catch (error) {
    if (errorCode(error) === "EACCES" && folder !== "/") return findClosed(dirname(folder));
    throw error;
  }
}
