import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Hub } from "@skillet/hub";
import { compareByteOrder } from "@skillet/kit/order";

const FOLDER = ".agents/skills";

/** Skills that lie where a project's are placed, but that no entry of its lock names; relative to the project. */
export async function straySkills(hub: Hub): Promise<readonly string[]> {
  const folder = join(hub.root, FOLDER);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const { skills } = await hub.list();
  const known = new Set([...skills.values()].flatMap(({ targets }) => targets.map(({ path }) => path)));
  return readdirSync(folder)
    .map((name) => `${FOLDER}/${name}`)
    .filter((path) => !known.has(path) && existsSync(join(hub.root, path, "SKILL.md")))
    .sort(compareByteOrder);
}
