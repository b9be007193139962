import { lstat, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "@skillet/kit/errors";
import { siteFolder } from "./site-folder.ts";

const FOLDER = ".skillet-publish";

/** Where folders of a site wait while they change places; it is gone when nothing is under way. */
export interface LegacyWork {
  /** Names of folders that a publisher who was killed had placed, before an index named them. */
  readonly placed: ReadonlySet<string>;
  /** Where a folder is made. */
  stagePath(name: string): string;
  /** Puts a folder that was made into its place; the one that was there goes. */
  place(name: string): Promise<void>;
  /** Takes away whatever is left. */
  finish(): Promise<void>;
}

/** Opens it below a folder of a site; what a publisher that was killed had moved away comes back first. */
export async function openLegacyWork(root: string): Promise<LegacyWork> {
  const [fresh, old, placed] = [
    await siteFolder(root, `${FOLDER}/new`),
    await siteFolder(root, `${FOLDER}/old`),
    await siteFolder(root, `${FOLDER}/placed`),
  ];
  await rm(fresh, { recursive: true });
  for (const name of await readdir(old)) await moveUnlessTaken(join(old, name), join(root, name));
  return {
    placed: new Set(await readdir(placed)),
    stagePath: (name) => join(fresh, name),
    place: async (name) => {
      // Whole folders change places: a file that the skill no longer has must not be served any more.
      await rm(join(old, name), { recursive: true, force: true });
      await writeFile(join(placed, name), "");
      await moveUnlessMissing(join(root, name), join(old, name));
      await rename(join(fresh, name), join(root, name));
    },
    finish: () => rm(join(root, FOLDER), { recursive: true, force: true }),
  };
}

async function moveUnlessMissing(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

async function moveUnlessTaken(from: string, to: string): Promise<void> {
  try {
    await lstat(to);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    await rename(from, to);
  }
}
