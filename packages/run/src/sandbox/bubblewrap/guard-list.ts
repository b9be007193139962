import type { BigIntStats } from "node:fs";
import { dirname } from "node:path";
import { folderRefused } from "../folder-refusal.ts";
import { lookAt } from "./look-at.ts";
import { isWithin, type Mount, nearestMount } from "./mount.ts";

/** What is taken away again from what a script is given. */
export class GuardList {
  readonly #given: readonly Mount[];
  readonly #paths: ReadonlySet<string>;
  readonly #guards = new Map<string, Mount>();

  constructor(given: readonly Mount[]) {
    this.#given = given;
    this.#paths = new Set(given.map(({ path }) => path));
  }

  /**
   * Makes what lies at a path read-only or hidden, where a script would see it otherwise. Whoever grants a path by its
   * own name means it. `mayBeLink`: where a link is customary, what it leads to is guarded and the link is not.
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
    // Whoever may write the folder may put another link there, and in the next run nobody knows what it led to.
    if (isLoose && (access === "read-only" || target === undefined || seen !== undefined))
      throw folderRefused(
        above.path,
        `${path} is reached through a link, so it cannot be kept safe from a script that may write there; put the file itself in the link's place, remove it, or do not grant writing`,
      );
    if (target === undefined || seen === undefined || this.#paths.has(target)) return;
    const behind = await lookAt(target);
    if (behind.kind === "there") await this.#set(target, access, behind.stats);
  }

  /** Hides a folder that cannot be listed, so that nobody knows what in it has to be guarded. */
  async close(folder: string): Promise<void> {
    const above = nearestMount(folder, this.#given);
    if (above === undefined) return;
    const looked = await lookAt(folder);
    await this.#close(looked.kind === "closed" ? looked.folder : folder, above);
  }

  /** Makes mounts of the folders above a path: others could be renamed with what is mounted in them, and made anew. */
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

  /** Without what is needless: below what is hidden or read-only as a whole there is nothing to guard. */
  mounts(): Mount[] {
    const all = [...this.#guards.values()];
    const covers = (outer: Mount, inner: Mount): boolean =>
      inner.path.startsWith(`${outer.path}/`) &&
      // What is given below it lies on top of it again.
      !nearestMount(inner.path, this.#given)?.path.startsWith(`${outer.path}/`) &&
      (outer.access === "hidden" || (outer.access === "read-only" && inner.access !== "hidden"));
    return all.filter((inner) => !all.some((outer) => covers(outer, inner)));
  }

  // What nobody can search now, the script may open to itself; it owns the folder as much as the caller does.
  async #close(folder: string, above: Mount): Promise<void> {
    if (above.access !== "writable") return;
    const looked = await lookAt(folder);
    if (looked.kind !== "there" || !isWithin(folder, above.path) || this.#paths.has(folder))
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
