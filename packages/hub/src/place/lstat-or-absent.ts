import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { errorCode } from "@skillet/kit/errors";

/** What lies at a path, without following a link there; undefined for nothing. */
export async function lstatOrAbsent(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
