import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PEERS_DIRECTORY } from "./peer-package.ts";

/** Installs the peers from their lock file where they are missing or out of date; returns what went wrong, if anything. */
export function installPeers(): string | undefined {
  const installed = modifiedMs("node_modules/.package-lock.json");
  if (installed !== undefined && installed >= (modifiedMs("package-lock.json") ?? 0)) return undefined;
  const result = spawnSync("npm", ["ci", "--ignore-scripts", "--omit=optional", "--loglevel=error"], {
    cwd: fileURLToPath(PEERS_DIRECTORY),
    stdio: ["ignore", "ignore", "pipe"],
    shell: process.platform === "win32",
  });
  if (result.status === 0) return undefined;
  const reason = result.error?.message ?? result.stderr.toString().trim().split("\n").slice(0, 3).join(" ");
  return `npm ci failed: ${reason}`;
}

function modifiedMs(file: string): number | undefined {
  return statSync(new URL(file, PEERS_DIRECTORY), { throwIfNoEntry: false })?.mtimeMs;
}
