import type { SandboxReport, ScriptOutcome } from "@skillet/core";
import { onceUntilSuccess } from "@skillet/kit/async";
import { quoteShell } from "@skillet/kit/text";
import type { Interpreter } from "../../runtime/choose-runtime.ts";
import { interpreterHome, isSystemPath } from "../../runtime/find-local-interpreter.ts";
import { noFilter, PRIVATE_DATA_LIMITED } from "../bubblewrap/plan-launch.ts";
import { installCommand } from "../bubblewrap/sandbox-host.ts";
import { limitOf, outcomeOf } from "../local-sandbox.ts";
import { askInShell, failedProbe, judgeAnswers } from "../probe-sandbox.ts";
import type { Sandbox, SandboxFault, SandboxJob, SandboxProbe } from "../sandbox.ts";
import { seccompProgram } from "../seccomp-program.ts";
import { unavailable } from "./connection-failure.ts";
import { canDrop, planRemoteJob } from "./plan-remote-job.ts";
import { REMOTE_TOOLS, type RemoteFacts, remoteArchitecture, surveyRemote } from "./remote-facts.ts";
import { describeTree, stagedFiles } from "./remote-tree.ts";
import { runRemoteJob } from "./run-remote-job.ts";
import { checkSshOptions, connectionFor, type SshConnection, type SshOptions } from "./ssh-options.ts";

/**
 * Runs scripts on another machine, each over its own connection: the skill is sent, run in bubblewrap with
 * the same limits as here, and removed.
 *
 * The remote machine needs Linux, a POSIX shell, bubblewrap, util-linux (prlimit, setpriv), tar, and the
 * usual tools of GNU or busybox: `probe` says what is missing. Its host key must be known here, and a key or
 * an agent must log in without a prompt. Use an unprivileged account; root becomes another user if it can.
 *
 * Local folders do not exist there: scripts see the remote `workspace`, read-only unless `writableWorkspace`
 * is set. A job that was granted other folders or the network is refused. A deadline holds on both sides; if
 * the connection is lost, the remote side ends the script and this side throws `sandbox-connection-lost`.
 *
 * @example
 * const sandbox = ssh({ destination: "scripts@build.example.org", workspace: "/srv/project" });
 * const runner = createRunner({ sandbox, allow: ["pdf-forms:scripts/fill.py"] });
 */
export function ssh(given: SshOptions): Sandbox {
  checkSshOptions(given);
  const options = connectionFor(given);
  const surveys = new Map<string, () => Promise<RemoteFacts>>();
  const survey = (interpreters: readonly string[] = INTERPRETERS): Promise<RemoteFacts> => {
    const key = interpreters.join(" ");
    const asked = surveys.get(key) ?? onceUntilSuccess(() => surveyRemote(options, interpreters));
    surveys.set(key, asked);
    return asked();
  };
  const sandbox: Sandbox = {
    name: "ssh",
    probe: () => probeRemote(sandbox, options, survey),
    findInterpreter: async (name) =>
      INTERPRETER_NAME.test(name)
        ? findInterpreter(name, await (INTERPRETERS.includes(name) ? survey() : survey([name])))
        : undefined,
    run: async (job) => {
      checkGrants(job, options);
      return runJob(job, options, await survey());
    },
  };
  return sandbox;
}

// The common interpreters, all surveyed in one connection.
const INTERPRETERS = ["sh", "bash", "python3", "python", "node", "deno", "bun", "ruby", "perl", "uv"];
const INTERPRETER_NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
const MAX_STDIN_BYTES = 256 * 1024 * 1024;

function findInterpreter(name: string, facts: RemoteFacts): Interpreter | undefined {
  const path = facts.interpreters.get(name);
  if (path === undefined) return undefined;
  if (isSystemPath(path)) return { name, path };
  const entriesOf = (): readonly string[] | undefined => facts.prefixes.get(name);
  return { name, path, home: interpreterHome(path, { userHomes: [facts.home], entriesOf }) };
}

async function runJob(job: SandboxJob, options: SshConnection, facts: RemoteFacts): Promise<ScriptOutcome> {
  const missing = missingTool(options, facts);
  if (missing !== undefined) throw unavailable(options.destination, missing);
  const tree = await describeTree(() => stagedFiles(job.skill.directory));
  const planned = planRemoteJob(job, { options, facts }, tree);
  const result = await runRemoteJob(options, job, { tree, planned });
  return outcomeOf({ ...planned, result, limit: limitOf(result) }, remoteReport(options, facts));
}

function checkGrants(job: SandboxJob, { destination, writableWorkspace }: SshOptions): void {
  const refuse = (reason: string): never => {
    throw unavailable(destination, { reason });
  };
  if (job.network.length > 0)
    refuse("scripts get no network on another machine, and this one was granted some; run it here");
  if ((job.stdin?.length ?? 0) > MAX_STDIN_BYTES)
    refuse(`the standard input is longer than ${MAX_STDIN_BYTES} bytes; put it into the remote workspace`);
  const others = job.writable.filter((folder) => folder !== job.workspace);
  if (others.length > 0)
    refuse(`the grant to write to ${others.join(", ")} is about folders of this machine; leave it out`);
  if (job.writable.length > 0 && writableWorkspace !== true)
    refuse("the grant to write to the workspace is about this machine; set writableWorkspace for that one");
}

function remoteReport({ destination }: SshOptions, facts: RemoteFacts): SandboxReport {
  const architecture = remoteArchitecture(facts);
  return {
    backend: "ssh",
    place: destination,
    strength: "reduced",
    weaknesses: [
      ...(seccompProgram(architecture) === undefined ? [noFilter(architecture)] : []),
      ...(facts.uid === "0" && !canDrop(facts) ? [AS_ROOT] : []),
      PRIVATE_DATA_LIMITED,
    ],
    memoryLimit: "process",
  };
}

const AS_ROOT =
  "It ran with root's access to the remote workspace, and the number of processes is not limited; log in as another user.";

// Tries everything that must not work; the connection goes to the remote machine's own ssh server, which the
// survey could reach.
const PROBE_SCRIPT = `
attempt outside "$1"
[ -z "$2" ] || attempt workspace "$2"
if [ -n "$3" ]; then
  if bash -c 'exec 5<>"/dev/tcp/$1/$2"' bash "$3" "$4"; then echo "connection worked"; else echo "connection denied"; fi
fi
echo "network $(readlink /proc/self/ns/net)"
`;

/** Proves by a real remote run that nothing can be written outside and no host can be reached. */
async function probeRemote(
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
    // If no shell there can connect, a network other than the machine's is the proof.
    const network = answers.get("network") ?? "";
    if (network === "" || network === facts.network) failures.push("the network is the machine's own");
    if (failures.length === 0) return { ok: true, report };
    return { ok: false, reason: `the remote sandbox does not hold: ${failures.join("; ")}` };
  } catch (error) {
    return failedProbe(error);
  }
}

/** A tool or setting that the remote machine lacks, with the command that fixes it. */
function missingTool(options: SshOptions, facts: RemoteFacts): SandboxFault | undefined {
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
