import { installCommand } from "../install-command.ts";
import { quoteShell } from "../quote-shell.ts";
import type { ConnectionFailure } from "./connection-failure.ts";
import { REMOTE_TOOLS, type RemoteFacts } from "./remote-facts.ts";
import type { SshOptions } from "./ssh-options.ts";

/** What the remote machine lacks, with the one command that mends it; nothing when it has all. */
export function missingTool(options: SshOptions, facts: RemoteFacts): ConnectionFailure | undefined {
  const isBare = options.isolation === "none";
  if (facts.system !== "Linux")
    return { reason: `it runs ${facts.system || "an unknown system"}, not Linux` };
  if (!facts.builtinPrintf)
    return {
      reason:
        "its /bin/sh starts a program for printf, which would show secrets to everybody there; use dash, bash or busybox",
    };
  if (options.workspace !== undefined && facts.workspace === undefined)
    return {
      reason: `there is no folder ${options.workspace} there`,
      fix: onRemote(options, `mkdir -p ${quoteShell(options.workspace)}`),
    };
  const needless = isBare
    ? ["bwrap", "setpriv", "unshare", "mount"]
    : ["setpriv", "setsid", "unshare", "mount"];
  const tool = REMOTE_TOOLS.find((name) => !needless.includes(name) && !facts.tools.has(name));
  if (tool === undefined) return undefined;
  const name = PACKAGES.get(tool) ?? "coreutils";
  const osRelease = `ID="${facts.ids}"`;
  const command = installCommand(name, { osRelease, isRoot: facts.uid === 0 });
  return { reason: `${tool} is not installed there`, fix: onRemote(options, command) };
}

const PACKAGES: ReadonlyMap<string, string> = new Map([
  ["bwrap", "bubblewrap"],
  ["prlimit", "util-linux"],
  ["setsid", "util-linux"],
  ["tar", "tar"],
  ["find", "findutils"],
  ["sed", "sed"],
  ["grep", "grep"],
  ["cmp", "diffutils"],
]);

function onRemote({ destination }: SshOptions, command: string): string {
  return `ssh -t ${destination} ${command}`;
}
