import type { SandboxReport } from "@skillet/core";
import type { Launch } from "./plan-launch.ts";
import type { SandboxHost } from "./sandbox-host.ts";

/** What held in one run, and what did not. */
export function sandboxReport(host: SandboxHost, { identity, group }: Launch): SandboxReport {
  const weaknesses: string[] = [];
  if (host.filter === undefined)
    weaknesses.push(
      `There is no filter of system calls for ${process.arch}: local sockets in given folders can be reached.`,
    );
  const isRoot = host.isRoot && identity === "caller";
  if (isRoot)
    weaknesses.push(
      "It ran with root's access to the folders it was given, since no other user can use them; give them to another user.",
    );
  if (isRoot && !group?.bounds.includes("pids"))
    weaknesses.push(
      "The number of processes is not limited: that needs a control group, or a user who is not root.",
    );
  if (!isRoot && identity === "caller" && !host.countsProcessesByRun)
    weaknesses.push(
      "The limit of processes counts all that the user runs, so it is generous; Linux 5.14 counts each run.",
    );
  const memoryLimit = group?.bounds.includes("memory") ? "tree" : "process";
  if (memoryLimit === "process")
    weaknesses.push(
      "Of memory only the private data of each process is limited: not what processes share, not files in memory, and not their sum. That needs a control group.",
    );
  const strength = weaknesses.length === 0 ? "full" : "reduced";
  return { backend: "bubblewrap", strength, weaknesses, memoryLimit };
}
