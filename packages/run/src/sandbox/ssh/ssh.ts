import { constants } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxReport, TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { interpreterHome, isSystemPath } from "../../runtime/find-local-interpreter.ts";
import type { Interpreter } from "../../runtime/interpreter.ts";
import type { Sandbox, SandboxJob, SandboxOutcome } from "../sandbox.ts";
import { seccompProgram } from "../seccomp-program.ts";
import { unavailable } from "./connection-failure.ts";
import { canDrop, planRemoteJob } from "./plan-remote-job.ts";
import { missingTool, probeRemote } from "./probe-remote.ts";
import { type RemoteFacts, remoteArchitecture, surveyRemote } from "./remote-facts.ts";
import { describeTree } from "./remote-tree.ts";
import { type RemoteJobEnd, runRemoteJob } from "./run-remote-job.ts";
import { checkSshOptions, type SshOptions } from "./ssh-options.ts";

/**
 * Runs scripts on another machine, over one connection each: the skill is staged there by its digest, checked there
 * before every run, and run in bubblewrap with the same limits as here.
 *
 * The remote machine needs Linux, a POSIX shell, bubblewrap, util-linux (prlimit, setpriv), tar, and the usual tools of
 * GNU or busybox: `probe` says what is missing. Its host key must be known here, and a key or an agent must open it
 * without a question. An account without rights is best; root becomes somebody else for each script where it can.
 *
 * Local folders mean nothing there: scripts see the remote `workspace`, read-only unless `writableWorkspace` is set. A
 * job that was granted other folders or the network is refused. A deadline holds on both sides; a script whose
 * connection is lost is ended over there, and here the run throws `sandbox-connection-lost`.
 *
 * @example
 * const sandbox = ssh({ destination: "scripts@build.example.org", workspace: "/srv/project" });
 * const runner = createRunner({ sandbox, allow: ["pdf-forms:scripts/fill.py"] });
 */
export function ssh(options: SshOptions): Sandbox {
  checkSshOptions(options);
  const remote = new Remote(options);
  const sandbox: Sandbox = {
    name: "ssh",
    probe: () => probeRemote(sandbox, { options, survey: () => remote.survey() }),
    findInterpreter: (name) => remote.findInterpreter(name),
    run: (job) => remote.run(job),
  };
  return sandbox;
}

// What scripts are mostly written for, asked for at once.
const INTERPRETERS = ["sh", "bash", "python3", "python", "node", "deno", "bun", "ruby", "perl", "uv"];
const INTERPRETER_NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
const PASSED_ON = ["HOME", "PATH", "USER", "LOGNAME", "SSH_AUTH_SOCK", "KRB5CCNAME", "XDG_RUNTIME_DIR"];
const MAX_STDIN_BYTES = 256 * 1024 * 1024;

class Remote {
  readonly #options: SshOptions;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #surveys = new Map<string, Promise<RemoteFacts>>();

  constructor(options: SshOptions) {
    this.#options = options;
    this.#environment = Object.fromEntries(
      PASSED_ON.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }

  /** Asked once; again after a failure, since somebody may mend it while this process runs. */
  survey(interpreters: readonly string[] = INTERPRETERS): Promise<RemoteFacts> {
    const key = interpreters.join(" ");
    const known = this.#surveys.get(key);
    if (known !== undefined) return known;
    const asked = surveyRemote({ options: this.#options, environment: this.#environment, interpreters });
    this.#surveys.set(key, asked);
    asked.catch(() => this.#surveys.delete(key));
    return asked;
  }

  async findInterpreter(name: string): Promise<Interpreter | undefined> {
    if (!INTERPRETER_NAME.test(name)) return undefined;
    const facts = await (INTERPRETERS.includes(name) ? this.survey() : this.survey([name]));
    const path = facts.interpreters.get(name);
    if (path === undefined) return undefined;
    if (isSystemPath(path)) return { name, path };
    const entriesOf = (): readonly string[] | undefined => facts.prefixes.get(name);
    return { name, path, home: interpreterHome(path, { userHomes: [facts.home], entriesOf }) };
  }

  async run(job: SandboxJob): Promise<SandboxOutcome> {
    this.#checkGrants(job);
    const facts = await this.survey();
    const missing = missingTool(this.#options, facts);
    if (missing !== undefined) throw unavailable(this.#options.destination, missing);
    const tree = await describeTree(() => stagedFiles(job.skill.directory));
    const { remote, cwd } = planRemoteJob({ options: this.#options, job, facts, tree });
    const { result, staged } = await runRemoteJob({
      ...remote,
      tree,
      options: this.#options,
      environment: this.#environment,
      stdin: job.stdin ?? new Uint8Array(0),
      timeoutMs: job.limits.timeoutMs,
      outputBytes: job.limits.outputBytes,
      ...(job.signal && { signal: job.signal }),
      ...(job.onOutput && { onOutput: job.onOutput }),
    });
    const limit = result.exitCode === undefined ? undefined : LIMITS.get(result.exitCode);
    const report = remoteReport(this.#options, { facts, staged });
    return { result, report, argv: remote.argv, cwd, ...(limit && { limit }) };
  }

  #checkGrants(job: SandboxJob): void {
    const { destination, writableWorkspace } = this.#options;
    const refuse = (reason: string): never => {
      throw unavailable(destination, { reason });
    };
    if (job.network.length > 0)
      refuse(
        "scripts on another machine get no network, and this one was granted some; run it in a local sandbox",
      );
    if ((job.stdin?.length ?? 0) > MAX_STDIN_BYTES)
      refuse(`the standard input is longer than ${MAX_STDIN_BYTES} bytes; put it into the remote workspace`);
    const others = job.writable.filter((folder) => folder !== job.workspace);
    if (others.length > 0)
      refuse(`the grant to write to ${others.join(", ")} is about folders of this machine; leave it out`);
    if (job.writable.length > 0 && writableWorkspace !== true)
      refuse(
        "the grant to write to the workspace is about this machine; set writableWorkspace for the remote one",
      );
  }
}

// Bubblewrap and shells end with 128 and the number of the signal: SIGXCPU, SIGXFSZ.
const LIMITS: ReadonlyMap<number, "cpu" | "file-size"> = new Map([
  [128 + 24, "cpu"],
  [128 + 25, "file-size"],
]);

const MAX_SENT_FILES = 20_000;
const MAX_SENT_BYTES = 512 * 1024 * 1024;

/** Every file of a staged copy, one after the other; links are told, not followed. */
async function* stagedFiles(directory: string): AsyncGenerator<TreeFile> {
  const folders = [""];
  let files = 0;
  let bytes = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(directory, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        folders.push(path);
        continue;
      }
      const file = await readTreeFile(directory, path);
      files += 1;
      bytes += file.bytes.length;
      if (files > MAX_SENT_FILES || bytes > MAX_SENT_BYTES) throw tooLarge(directory);
      yield file;
    }
  }
}

async function readTreeFile(directory: string, path: string): Promise<TreeFile> {
  const place = join(directory, path);
  if ((await lstat(place)).isSymbolicLink())
    return { path, mode: "120000", bytes: Buffer.from(await readlink(place)) };
  // Without O_NONBLOCK a FIFO in the place of a file would be waited for without end.
  const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MAX_SENT_BYTES) throw tooLarge(directory);
    return { path, mode: (stats.mode & 0o100) === 0 ? "644" : "755", bytes: await handle.readFile() };
  } finally {
    await handle.close();
  }
}

function tooLarge(directory: string): SkilletError {
  return new SkilletError(
    "sandbox-unavailable",
    `The staged skill in ${directory} cannot be sent: it has more than ${MAX_SENT_FILES} files or ${MAX_SENT_BYTES} bytes, ` +
      "or something that is no file. Run it in a local sandbox.",
    { data: { directory } },
  );
}

/** What holds a script on the remote machine, and what does not. */
function remoteReport(
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
