import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Finding } from "./finding.ts";

const OLDEST_NODE = [20, 19] as const;

/** Whether this Node.js is one that Skillet is tested on. */
export function checkNode(version: string, skillet: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const fine = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  if (fine) return { check: "node", status: "ok", message: `Skillet ${skillet} on Node.js ${version}` };
  return {
    check: "node",
    status: "problem",
    message: `Node.js ${version} is older than ${OLDEST_NODE.join(".")}, the oldest that works.`,
    hint: "Install a newer Node.js: https://nodejs.org",
  };
}

/** Whether Skillet's own folder can be used; one that does not exist yet is fine. */
export async function checkHome(home: string): Promise<Finding> {
  const state = await folderState(home);
  switch (state) {
    case "missing":
      return {
        check: "home",
        status: "ok",
        message: "not there yet; it is made when something is written",
        file: home,
      };
    case "writable":
      return { check: "home", status: "ok", message: "can be read and written", file: home };
    case "read-only":
      return {
        check: "home",
        status: "problem",
        message: "cannot be written, so nothing can be enabled, disabled or trusted",
        hint: "Change its permissions, or point SKILLET_HOME at a folder of yours.",
        file: home,
      };
    case "not-a-folder":
      return {
        check: "home",
        status: "problem",
        message: "is not a folder",
        hint: "Move the file away, or point SKILLET_HOME at a folder.",
        file: home,
      };
  }
}

/** Whether discovery can keep its cache; without one it is only slower. */
export async function checkCache(home: string): Promise<Finding> {
  const cache = join(home, "cache");
  const state = await folderState(cache);
  if (state === "missing") return { check: "cache", status: "ok", message: "empty", file: cache };
  if (state === "writable") return { check: "cache", status: "ok", message: "in use", file: cache };
  return {
    check: "cache",
    status: "warning",
    message: "cannot be used, so every start reads all skills again",
    hint: "Remove it; it is made anew.",
    file: cache,
  };
}

async function folderState(path: string): Promise<"missing" | "writable" | "read-only" | "not-a-folder"> {
  try {
    if (!(await stat(path)).isDirectory()) return "not-a-folder";
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return "writable";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "missing";
    if (code === "ENOTDIR" || code === "ELOOP") return "not-a-folder";
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "read-only";
    throw error;
  }
}
