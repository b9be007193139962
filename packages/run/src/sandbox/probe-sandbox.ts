import { once } from "node:events";
import { chmod, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScriptOutcome } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import { onRefusal, SkilletError, undefinedOn } from "@skillet/kit/errors";
import { showLine } from "@skillet/kit/text";
import { DEFAULT_RUN_LIMITS } from "../run-limits.ts";
import type { Interpreter } from "../runtime/choose-runtime.ts";
import type { Sandbox, SandboxFault, SandboxJob, SandboxProbe } from "./sandbox.ts";

const PROBE_LIMITS = { ...DEFAULT_RUN_LIMITS, timeoutMs: 30_000 };

// Tries everything that must not work; each answer is an error code, or "worked".
const PROBE_SCRIPT = `
const { readFileSync, writeFileSync } = require("node:fs");
const { connect } = require("node:net");
const [workspace, outside, port] = process.argv.slice(2);
const attempt = (name, folder) => {
  try { writeFileSync(folder + "/skillet-probe", ""); console.log(name + " worked"); }
  catch (error) { console.log(name + " " + (error.code ?? "failed")); }
};
attempt("workspace", workspace);
attempt("outside", outside);
attempt("skill", process.env.SKILL_DIR);
attempt("system", "/usr");
if (process.platform === "linux") console.log(readFileSync("/proc/self/status", "latin1").replace(/:\\s+/g, " "));
const end = (answer) => { console.log("connection " + answer); process.exit(0); };
const socket = connect({ host: "127.0.0.1", port: Number(port) });
socket.once("connect", () => end("worked"));
socket.once("error", (error) => end(error.code ?? "failed"));
`;

/** Proves by a real run, made like any script's, that writes outside and connections are impossible. */
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
          const answers = readAnswers(stdout);
          const failures = judgeAnswers(answers, ["workspace", "outside", "skill", "system", "connection"]);
          // If no filter exists for this architecture, the report says so.
          if (process.platform === "linux" && answers.get("Seccomp") !== "2" && report.strength === "full")
            failures.push("system calls are not filtered");
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

/** Reads a test script's output, `name value` line by line; if a name is repeated, the first line counts. */
function readAnswers(stdout: string): ReadonlyMap<string, string> {
  const lines = stdout.split("\n").reverse();
  return new Map(lines.map((line) => [line.split(" ", 1)[0] ?? "", line.slice(line.indexOf(" ") + 1)]));
}

/** Lists what did not hold: attempts that worked or have no answer, and rights that scripts must not have. */
export function judgeAnswers(
  answers: ReadonlyMap<string, string>,
  attempts: readonly string[],
  platform: string = process.platform,
): string[] {
  const failures = attempts
    .filter((name) => (answers.get(name) ?? "worked") === "worked")
    .map((name) =>
      name === "connection" ? "a connection was not denied" : `a write was not denied (${name})`,
    );
  if (platform !== "linux") return failures;
  if (answers.get("NoNewPrivs") !== "1") failures.push("programs can gain privileges");
  if (answers.get("CapEff") !== "0000000000000000") failures.push("the script has capabilities");
  return failures;
}

const SHELL_ATTEMPTS = String.raw`exec 2>/dev/null
attempt() { if (: >"$2/skillet-probe"); then echo "$1 worked"; rm -f "$2/skillet-probe"; else echo "$1 denied"; fi; }
attempt skill "$SKILL_DIR"
attempt system /usr
sed -n 's/^\(Uid\|NoNewPrivs\|Seccomp\|CapEff\):[[:space:]]*\([0-9a-f]*\).*/\1 \2/p' /proc/self/status
`;

/**
 * Surveys a machine or image that may have no Node, by a shell script: first the writes that must not work
 * and the process's rights, then what `text` asks.
 */
export async function askInShell(
  sandbox: Pick<Sandbox, "run">,
  what: string,
  { text, args = [] }: { readonly text: string; readonly args?: readonly string[] },
): Promise<{ readonly answers: ReadonlyMap<string, string>; readonly report: ScriptOutcome["sandbox"] }> {
  const outcome = await runTrial(sandbox, {
    script: { name: "survey.sh", text: `${SHELL_ATTEMPTS}${text}echo done\n` },
    interpreter: { name: "sh", path: "/bin/sh" },
    args,
    limits: PROBE_LIMITS,
  });
  const { exitCode, stdout, sandbox: report } = outcome;
  if (exitCode === 0 && stdout.endsWith("done\n")) return { answers: readAnswers(stdout), report };
  const { reason } = probeNotFinished(what, outcome);
  throw sandboxUnavailable("Scripts cannot be run", { reason }, { backend: report.backend });
}

/** Runs one of our own scripts in a sandbox, like a skill's, and with nothing granted. */
function runTrial(
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
    // In case the umask removed read permission.
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
    // Scripts started by root run as another user, who must be able to read the folder.
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
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const address = server.address();
    if (typeof address === "object" && address !== null) listener.port = address.port;
    return await use(listener);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

function probeNotFinished(what: string, { stderr, status }: ScriptOutcome): SandboxFault {
  return {
    ok: false,
    reason: `the test script for the ${what} did not finish: ${plainText(stderr) || status}`,
  };
}

const MAX_SAID_CHARACTERS = 500;

/** Makes any program's output one bounded line that is safe in a message; ssh frames some with @ signs. */
export function plainText(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/@{5,}/g, "")
    .trim();
  return showLine(line.length > MAX_SAID_CHARACTERS ? `${line.slice(0, MAX_SAID_CHARACTERS)}…` : line);
}

/** For a run that was refused because of the sandbox; nothing of the script ran. */
export function sandboxUnavailable(
  what: string,
  fault: Omit<SandboxFault, "ok">,
  data: { readonly backend: string; readonly destination?: string },
): SkilletError {
  const fix = fault.fix === undefined ? "" : ` Fix: ${fault.fix}`;
  const message = `${what}: ${fault.reason}.${fix}`;
  return new SkilletError("sandbox-unavailable", message, { data: { ...data, ...fault } });
}

/** For a probe that could not be carried out; rethrows errors that are not the sandbox's. */
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
 * The version of a node on this machine. It is started in the sandbox like any script, because a program of
 * that name in PATH may be anything. Asked once per program; undefined if it does not answer.
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
  let version: string | undefined;
  try {
    version = await answer;
    return version;
  } finally {
    // Ask again next time: the obstacle may be gone.
    if (version === undefined) known.delete(key);
  }
}

async function ask(sandbox: Sandbox, node: Interpreter): Promise<string | undefined> {
  const trial = runTrial(sandbox, {
    // Never read: node prints its version and exits.
    script: { name: "version.cjs", text: "" },
    interpreter: node,
    flags: ["--version"],
    limits: LIMITS,
  });
  // A refusal, for example because it is built for another machine, leaves the version unknown.
  const outcome = await onRefusal(trial, () => undefined);
  if (outcome?.exitCode !== 0) return undefined;
  return /^v(\d{1,4}\.\d{1,4}\.\d{1,4})\s*$/.exec(outcome.stdout)?.[1];
}
