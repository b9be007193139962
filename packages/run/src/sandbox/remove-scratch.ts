import { removeTree } from "../stage/staging-places.ts";

/**
 * Removes the private folder of a run. Where that fails, it says so as a weakness: how the script ended is known by then,
 * and must not be lost.
 */
export async function removeScratch(folder: string): Promise<readonly string[]> {
  try {
    await removeTree(folder);
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return [`Its private folder ${folder} could not be removed (${code}); remove it by hand.`];
  }
}
