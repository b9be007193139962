import type { SandboxReport } from "@skillet/core";
import { seccompProgram } from "../seccomp/seccomp-program.ts";
import { canDrop } from "./plan-remote-job.ts";
import { type RemoteFacts, remoteArchitecture } from "./remote-facts.ts";
import type { RemoteJobEnd } from "./run-remote-job.ts";
import type { SshOptions } from "./ssh-options.ts";

/** What holds a script on the remote machine, and what does not. */
export function remoteReport(
  options: SshOptions,
  { facts, staged }: { readonly facts: RemoteFacts; readonly staged?: RemoteJobEnd["staged"] },
): SandboxReport {
  const isBare = options.isolation === "none";
  const weaknesses = [
    ...(isBare ? [BARE, ESCAPES] : containedWeaknesses(facts)),
    "Of memory only the private data of each process is limited: not what processes share, not files in memory, and not their sum.",
    ...(staged === "replaced" ? [REPLACED] : []),
  ];
  return {
    backend: "ssh",
    place: options.destination,
    strength: isBare ? "none" : "reduced",
    weaknesses,
    memoryLimit: "process",
  };
}

const BARE = "No sandbox: the script can read, write and reach whatever the remote account can.";
const ESCAPES = "What leaves its session and clears its environment is not found when the script is ended.";
const REPLACED =
  "The remote copy of the skill had been changed since it was staged; it was sent anew before the run.";

function containedWeaknesses(facts: RemoteFacts): string[] {
  const architecture = remoteArchitecture(facts);
  return [
    ...(seccompProgram(architecture) === undefined
      ? [
          `There is no filter of system calls for ${architecture}: local sockets in given folders can be reached.`,
        ]
      : []),
    ...(facts.uid === 0 && !canDrop(facts)
      ? [
          "It ran with root's access to the remote workspace, and the number of processes is not limited; log in as somebody else.",
        ]
      : []),
  ];
}
