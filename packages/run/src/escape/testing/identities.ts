import { spawnSync } from "node:child_process";
import type { Identity } from "./attacker.ts";

/** Who can attack on this machine; says why somebody cannot. */
export function identities(): readonly Identity[] {
  if (process.platform !== "linux") return skip("bubblewrap is for Linux");
  for (const program of ["bwrap", "python3", "prlimit"])
    if (spawnSync(program, ["--version"], { stdio: "ignore" }).error !== undefined)
      return skip(`there is no ${program}`);
  if (process.getuid?.() === 0) return ["root", "an ordinary user"];
  console.warn("Escape attempts as root are skipped: the tests do not run as root.");
  return ["an ordinary user"];
}

function skip(reason: string): readonly Identity[] {
  console.warn(`Escape attempts are skipped: ${reason}.`);
  return [];
}
