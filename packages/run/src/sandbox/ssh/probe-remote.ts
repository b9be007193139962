import { quoteShell } from "@skillet/kit/text";
import { DEFAULT_RUN_LIMITS } from "../../run-limits.ts";
import { installCommand } from "../bubblewrap/sandbox-host.ts";
import { failedProbe, probeNotFinished, runTrial } from "../probe-sandbox.ts";
import type { Sandbox, SandboxProbe } from "../sandbox.ts";
import type { ConnectionFailure } from "./connection-failure.ts";
import { REMOTE_TOOLS, type RemoteFacts } from "./remote-facts.ts";
import type { SshOptions } from "./ssh-options.ts";

// Everything that must not work, tried for real; the connection is to the remote machine's own ssh server, which the
// survey could reach.
const PROBE_SCRIPT = String.raw`
attempt() { if (: >"$2/skillet-probe") 2>/dev/null; then echo "$1 worked"; rm -f "$2/skillet-probe"; else echo "$1 denied"; fi; }
attempt skill "$SKILL_DIR"
attempt system /usr
attempt outside "$1"
[ -z "$2" ] || attempt workspace "$2"
if [ -n "$3" ]; then
  if bash -c 'exec 5<>"/dev/tcp/$1/$2"' bash "$3" "$4" 2>/dev/null; then echo "connection worked"; else echo "connection denied"; fi
fi
echo "network $(readlink /proc/self/ns/net)"
sed -n 's/^\(NoNewPrivs\|Seccomp\|CapEff\):[[:space:]]*/\1 /p' /proc/self/status
echo "done"
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
    if (missing !== undefined) return { ok: false, ...missing };
    const { workspace, server } = facts;
    const outcome = await runTrial(sandbox, {
      script: { name: "probe.sh", text: PROBE_SCRIPT },
      interpreter: { name: "sh", path: "/bin/sh" },
      args: [
        facts.directory,
        options.writableWorkspace === true ? "" : (workspace?.path ?? ""),
        server?.address ?? "",
        server?.port ?? "",
      ],
      limits: { ...DEFAULT_RUN_LIMITS, timeoutMs: 30_000 },
    });
    const { exitCode, stdout, sandbox: report } = outcome;
    if (exitCode !== 0 || !stdout.endsWith("done\n")) return probeNotFinished("remote sandbox", outcome);
    const failures = judgeAnswers(readAnswers(stdout), facts.network);
    if (failures.length === 0) return { ok: true, report };
    return { ok: false, reason: `the remote sandbox does not hold: ${failures.join("; ")}` };
  } catch (error) {
    return failedProbe(error);
  }
}

/** Reads what a test script wrote, `name value` line by line; of two answers the first counts. */
export function readAnswers(stdout: string): ReadonlyMap<string, string> {
  const lines = stdout.split("\n").reverse();
  return new Map(lines.map((line) => [line.split(" ", 1)[0] ?? "", line.slice(line.indexOf(" ") + 1)]));
}

/** Lists what did not hold; without a shell that can connect, a network other than the machine's has to do as proof. */
export function judgeAnswers(answers: ReadonlyMap<string, string>, machineNetwork: string): string[] {
  const writes = ["skill", "system", "outside", "workspace"].filter((name) => answers.get(name) === "worked");
  const network = answers.get("network") ?? "";
  return [
    ...writes.map((name) => `a write was not denied (${name})`),
    ...(answers.get("connection") === "worked" ? ["a connection was not denied"] : []),
    ...(network === "" || network === machineNetwork ? ["the network is the machine's own"] : []),
    ...(answers.get("NoNewPrivs") === "1" ? [] : ["programs can gain privileges"]),
    ...(answers.get("CapEff") === "0000000000000000" ? [] : ["the script has capabilities"]),
  ];
}

/** Names a tool or setting that the remote machine lacks, with the one command that fixes it; undefined when it has everything. */
export function missingTool(options: SshOptions, facts: RemoteFacts): ConnectionFailure | undefined {
  if (facts.system !== "Linux")
    return { reason: `it runs ${facts.system || "an unknown system"}, not Linux` };
  if (!facts.builtinPrintf)
    return {
      reason:
        "its /bin/sh starts a program for printf, which would show secrets to every user there; use dash, bash or busybox",
    };
  if (options.workspace !== undefined && facts.workspace === undefined)
    return {
      reason: `there is no folder ${options.workspace} there`,
      fix: onRemote(options, `mkdir -p ${quoteShell(options.workspace)}`),
    };
  const needless = ["setpriv", "unshare", "mount"];
  const tool = REMOTE_TOOLS.find((name) => !needless.includes(name) && !facts.tools.has(name));
  if (tool === undefined) return undefined;
  const name = PACKAGES.get(tool) ?? "coreutils";
  const osRelease = `ID="${facts.ids}"`;
  const command = installCommand(name, { osRelease, isRoot: facts.uid === 0 });
  return { reason: `${tool} is not installed there`, fix: onRemote(options, command) };
}

const PACKAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bwrap: "bubblewrap",
    prlimit: "util-linux",
    tar: "tar",
    find: "findutils",
    sed: "sed",
    grep: "grep",
  }),
);

function onRemote({ destination }: SshOptions, command: string): string {
  return `ssh -t ${destination} ${command}`;
}
