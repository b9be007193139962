import { quoteShell } from "@skillet/kit/text";
import { installCommand } from "../bubblewrap/sandbox-host.ts";
import { askInShell, failedProbe, judgeAnswers } from "../probe-sandbox.ts";
import type { Sandbox, SandboxFault, SandboxProbe } from "../sandbox.ts";
import { REMOTE_TOOLS, type RemoteFacts } from "./remote-facts.ts";
import type { SshOptions } from "./ssh-options.ts";

// Everything that must not work, tried for real; the connection is to the remote machine's own ssh server, which the
// survey could reach.
const PROBE_SCRIPT = `
attempt outside "$1"
[ -z "$2" ] || attempt workspace "$2"
if [ -n "$3" ]; then
  if bash -c 'exec 5<>"/dev/tcp/$1/$2"' bash "$3" "$4"; then echo "connection worked"; else echo "connection denied"; fi
fi
echo "network $(readlink /proc/self/ns/net)"
`;

/** Proves by a real run over there that nothing can be written outside and no host be reached. */
export async function probeRemote(
  sandbox: Sandbox,
  options: SshOptions,
  survey: () => Promise<RemoteFacts>,
): Promise<SandboxProbe> {
  try {
    const facts = await survey();
    const missing = missingTool(options, facts);
    if (missing !== undefined) return missing;
    const lent = options.writableWorkspace === true ? "" : facts.workspace;
    const args = [facts.directory, lent, ...facts.server.split(" ")];
    const asking = { text: PROBE_SCRIPT, args };
    const { answers, report } = await askInShell(sandbox, "remote sandbox", asking);
    const asked = [lent && "workspace", facts.server && "connection"].filter((name) => name !== "");
    const failures = judgeAnswers(answers, ["skill", "system", "outside", ...asked], "linux");
    // Without a shell that can connect, a network other than the machine's has to do as proof.
    const network = answers.get("network") ?? "";
    if (network === "" || network === facts.network) failures.push("the network is the machine's own");
    if (failures.length === 0) return { ok: true, report };
    return { ok: false, reason: `the remote sandbox does not hold: ${failures.join("; ")}` };
  } catch (error) {
    return failedProbe(error);
  }
}

/** Names a tool or setting that the remote machine lacks, with the one command that fixes it; undefined when it has everything. */
export function missingTool(options: SshOptions, facts: RemoteFacts): SandboxFault | undefined {
  const fault = (reason: string, command?: string): SandboxFault => {
    const fix = command && `ssh -t ${options.destination} ${command}`;
    return { ok: false, reason, ...(fix && { fix }) };
  };
  if (facts.system !== "Linux") return fault(`it runs ${facts.system || "an unknown system"}, not Linux`);
  if (facts.printf !== "printf")
    return fault(
      "its /bin/sh starts a program for printf, which would show secrets to every user there; use dash, bash or busybox",
    );
  const { workspace } = options;
  if (workspace !== undefined && facts.workspace === "")
    return fault(`there is no folder ${workspace} there`, `mkdir -p ${quoteShell(workspace)}`);
  const needless = ["setpriv", "unshare", "mount"];
  const tool = REMOTE_TOOLS.find((name) => !needless.includes(name) && !facts.tools.has(name));
  if (tool === undefined) return undefined;
  const osRelease = `ID="${facts.ids}"`;
  const command = installCommand(PACKAGES.get(tool) ?? "coreutils", { osRelease, isRoot: facts.uid === "0" });
  return fault(`${tool} is not installed there`, command);
}

const PACKAGES: ReadonlyMap<string, string> = new Map([
  ["bwrap", "bubblewrap"],
  ["prlimit", "util-linux"],
  ["find", "findutils"],
  ...["tar", "sed", "grep"].map((name) => [name, name] as const),
]);
