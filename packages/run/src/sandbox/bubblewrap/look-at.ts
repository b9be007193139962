import type { BigIntStats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { dirname } from "node:path";

/** What lies at a path of the host. A mount over a link would land where it leads, so that is told apart. */
export type Looked =
  | { readonly kind: "there"; readonly path: string; readonly stats: BigIntStats }
  /** Reached through a link, here or above; `target` is what it leads to in the end, if anything. */
  | { readonly kind: "link"; readonly target?: string }
  /** A folder on the way cannot be entered by whoever looks. */
  | { readonly kind: "closed"; readonly folder: string }
  | { readonly kind: "absent" };

export async function lookAt(path: string): Promise<Looked> {
  try {
    const stats = await lstat(path, { bigint: true });
    const target = await findTarget(path);
    if (target === path) return { kind: "there", path, stats };
    return { kind: "link", ...(target !== undefined && { target }) };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    if (code === "ELOOP") return { kind: "link" };
    if (code === "EACCES") return { kind: "closed", folder: await findClosed(dirname(path)) };
    throw error;
  }
}

async function findTarget(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    // Behind a link that leads nowhere, in a circle, or where nobody else of this user's gets either.
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

async function findClosed(folder: string): Promise<string> {
  try {
    await lstat(folder);
    return folder;
  } catch (error) {
    if (codeOf(error) === "EACCES" && folder !== "/") return findClosed(dirname(folder));
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
