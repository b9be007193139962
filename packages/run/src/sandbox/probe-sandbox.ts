import { chmod, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxReport, ScriptOutcome } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { showLine } from "@skillet/kit/text";
import { DEFAULT_RUN_LIMITS } from "../run-limits.ts";
import type { Interpreter } from "../runtime/choose-runtime.ts";
import type { Sandbox, SandboxJob, SandboxProbe } from "./sandbox.ts";

const PROBE_LIMITS = { ...DEFAULT_RUN_LIMITS, timeoutMs: 30_000 };

// Everything that must not work, tried for real; each answer is the code of the error, or "worked".
const PROBE_SCRIPT = `
const { readFileSync, writeFileSync } = require("node:fs");
const { connect } = require("node:net");
const [workspace, outside, port] = process.argv.slice(2);
const attempt = (act) => { try { act(); return "worked"; } catch (error) { return error.code ?? String(error); } };
const status = process.platform === "linux" ? readFileSync("/proc/self/status", "latin1") : "";
const field = (name) => new RegExp("^" + name + ":\\\\s*(.*)$", "m").exec(status)?.[1];
const answers = {
  workspace: attempt(() => writeFileSync(workspace + "/written", "")),
  outside: attempt(() => writeFileSync(outside + "/written", "")),
  skill: attempt(() => writeFileSync(process.env.SKILL_DIR + "/written", "")),
  system: attempt(() => writeFileSync("/usr/skillet-probe", "")),
  noNewPrivileges: field("NoNewPrivs"),
  filter: field("Seccomp"),
  capabilities: field("CapEff"),
};
const socket = connect({ host: "127.0.0.1", port: Number(port) });
const end = (connection) => { console.log(JSON.stringify({ ...answers, connection })); process.exit(0); };
socket.once("connect", () => end("worked"));
socket.once("error", (error) => end(error.code ?? String(error)));
`;

/** Proves by a real run, made like any script's, that nothing can be written outside and no host be reached. */
export async function probeSandbox(
  sandbox: Sandbox,
  distrusted: readonly string[] = [],
): Promise<SandboxProbe> {
  try {
    const node = await sandbox.findInterpreter("node", distrusted);
    if (node === undefined) return { ok: false, reason: "no Node was found to test the sandbox with" };
    return await inFolder((workspace) =>
      inFolder((outside) =>
        withListener(async (listener) => {
          const outcome = await runTrial(sandbox, {
            script: { name: "probe.cjs", text: PROBE_SCRIPT },
            interpreter: node,
            args: [workspace, outside, String(listener.port)],
            cwd: "workspace",
            workspace,
            limits: PROBE_LIMITS,
          });
          const { exitCode, stdout, sandbox: report } = outcome;
          if (exitCode !== 0 || stdout === "") return probeNotFinished("sandbox", outcome);
          const written = [...(await readdir(workspace)), ...(await readdir(outside))];
          const failures = judge(JSON.parse(stdout), report);
          if (written.length > 0) failures.push("a file was written outside");
          if (listener.connections > 0) failures.push("a connection to this machine was made");
          if (failures.length === 0) return { ok: true, report };
          return { ok: false, reason: `the sandbox does not hold: ${failures.join("; ")}` };
        }),
      ),
    );
  } catch (error) {
    return failedProbe(error);
  }
}

function judge(answers: Readonly<Record<string, unknown>>, report: SandboxReport): string[] {
  const failures = ["workspace", "outside", "skill", "system", "connection"]
    .filter((name) => typeof answers[name] !== "string" || answers[name] === "worked")
    .map((name) =>
      name === "connection" ? "a connection was not denied" : `a write was not denied (${name})`,
    );
  if (process.platform !== "linux") return failures;
  if (answers.noNewPrivileges !== "1") failures.push("programs can gain privileges");
  if (answers.capabilities !== "0000000000000000") failures.push("the script has capabilities");
  // Where there is no filter for the machine, the report says so.
  if (answers.filter !== "2" && report.strength === "full") failures.push("system calls are not filtered");
  return failures;
}

/** Runs a script of our own in a sandbox, in the same way as a skill's, and with nothing given. */
export function runTrial(
  sandbox: Pick<Sandbox, "run">,
  trial: Pick<SandboxJob, "interpreter" | "limits"> &
    Partial<Pick<SandboxJob, "flags" | "args" | "cwd" | "workspace">> & {
      readonly script: { readonly name: string; readonly text: string };
    },
): Promise<ScriptOutcome> {
  const { script, ...job } = trial;
  return inFolder(async (directory) => {
    const file = join(directory, script.name);
    await writeFile(file, script.text);
    // Whatever the umask left of it.
    await chmod(file, 0o644);
    return sandbox.run({
      skill: { directory, digest: digestBytes(Buffer.from(script.text)) },
      script: script.name,
      flags: [],
      args: [],
      cwd: "skill",
      writable: [],
      protect: [],
      network: [],
      environment: {},
      ...job,
    });
  });
}

async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "skillet-trial-")));
  try {
    // Root's scripts run as another user, who must be able to read it.
    await chmod(folder, 0o755);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withListener<Result>(
  use: (listener: { readonly port: number; connections: number }) => Promise<Result>,
): Promise<Result> {
  const listener = { port: 0, connections: 0 };
  const server = createServer((socket) => {
    listener.connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  try {
    const address = server.address();
    if (typeof address === "object" && address !== null) listener.port = address.port;
    return await use(listener);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

export function probeNotFinished(what: string, { stderr, status }: ScriptOutcome): SandboxProbe {
  // One line, whatever another machine says.
  const said = showLine(stderr.trim()).slice(0, 500) || status;
  return { ok: false, reason: `the test script for the ${what} did not finish: ${said}` };
}

/** For a probe that could not be carried out; an error that is not the sandbox's is thrown again. */
export function failedProbe(error: unknown): SandboxProbe {
  if (!SkilletError.isInstance(error)) throw error;
  const { reason, fix } = error.data;
  return {
    ok: false,
    reason: typeof reason === "string" ? reason : error.message,
    ...(typeof fix === "string" && { fix }),
  };
}

const LIMITS = { ...DEFAULT_RUN_LIMITS, timeoutMs: 10_000, outputBytes: 4096 };

const asked = new WeakMap<Sandbox, Map<string, Promise<string | undefined>>>();

/**
 * The version of a node of this machine, which it is asked for in the sandbox like any script: what lies in PATH by that
 * name may be anything. Asked once for each program; undefined when it does not say.
 */
export async function nodeVersion(sandbox: Sandbox, node: Interpreter): Promise<string | undefined> {
  if (node.version !== undefined) return node.version;
  const stats = await stat(node.path, { bigint: true }).catch(undefinedOn("ENOENT"));
  if (stats === undefined) return undefined;
  const key = [node.path, stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(" ");
  const known = asked.get(sandbox) ?? new Map<string, Promise<string | undefined>>();
  asked.set(sandbox, known);
  const answer = known.get(key) ?? ask(sandbox, node);
  known.set(key, answer);
  try {
    const version = await answer;
    // Asked again next time: the obstacle may be gone.
    if (version === undefined) known.delete(key);
    return version;
  } catch (error) {
    known.delete(key);
    throw error;
  }
}

async function ask(sandbox: Sandbox, node: Interpreter): Promise<string | undefined> {
  try {
    const { exitCode, stdout } = await runTrial(sandbox, {
      // Never read: node prints its version and ends.
      script: { name: "version.cjs", text: "" },
      interpreter: node,
      flags: ["--version"],
      limits: LIMITS,
    });
    return exitCode === 0 ? /^v(\d{1,4}\.\d{1,4}\.\d{1,4})\s*$/.exec(stdout)?.[1] : undefined;
  } catch (error) {
    // Built for another machine, for example: then nothing is known about it.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}
