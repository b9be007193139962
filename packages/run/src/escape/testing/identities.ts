import { spawnSync } from "node:child_process";
import type { Identity } from "./attacker.ts";

/** Why attacks cannot be tried on this machine; undefined if they can. */
export const OBSTACLE: string | undefined = findObstacle();

export const IDENTITIES: readonly Identity[] =
  process.getuid?.() === 0 ? ["root", "an ordinary user"] : ["an ordinary user"];

if (OBSTACLE !== undefined) console.warn(`Escape attempts are skipped: ${OBSTACLE}.`);
else if (IDENTITIES.length === 1)
  console.warn("Escape attempts as root are skipped: the tests do not run as root.");

function findObstacle(): string | undefined {
  if (process.platform !== "linux") return "bubblewrap is for Linux";
  const missing = ["bwrap", "python3", "prlimit"].find(
    (program) => spawnSync(program, ["--version"], { stdio: "ignore" }).error !== undefined,
  );
  return missing === undefined ? undefined : `there is no ${missing}`;
}
