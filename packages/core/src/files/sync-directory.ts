import { open } from "node:fs/promises";

/** Makes a created or renamed name in a folder survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows has no such call and orders metadata itself.
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
