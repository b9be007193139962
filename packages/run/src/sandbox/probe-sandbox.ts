import { chmod, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxReport } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { DEFAULT_RUN_LIMITS } from "../run-limits.ts";
import type { Interpreter } from "../runtime/interpreter.ts";
import type { Sandbox, SandboxProbe } from "./sandbox.ts";

const PROBE_LIMITS = { ...DEFAULT_RUN_LIMITS, timeoutMs: 30_000 };
const SCRIPT = "probe.cjs";

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

/** Proves by a real run that nothing can be written outside and nobody be reached; the same way as scripts are run. */
export async function probeSandbox(
  sandbox: Sandbox,
  distrusted: readonly string[] = [],
): Promise<SandboxProbe> {
  try {
    const node = await sandbox.findInterpreter("node", distrusted);
    if (node === undefined)
      return { ok: false, reason: "there is no Node that the sandbox could be tried with" };
    return await inFolders((folders) =>
      withListener((listener) => tryToEscape(sandbox, { node, folders, listener })),
    );
  } catch (error) {
    return failedProbe(error);
  }
}

interface Folders {
  readonly skill: string;
  readonly workspace: string;
  readonly outside: string;
}

interface Listener {
  readonly port: number;
  connections(): number;
}

async function tryToEscape(
  sandbox: Sandbox,
  { node, folders, listener }: { node: Interpreter; folders: Folders; listener: Listener },
): Promise<SandboxProbe> {
  const { result, report } = await sandbox.run({
    skill: { directory: folders.skill, digest: digestBytes(Buffer.from(PROBE_SCRIPT)) },
    interpreter: node,
    flags: [],
    script: SCRIPT,
    args: [folders.workspace, folders.outside, String(listener.port)],
    cwd: "workspace",
    workspace: folders.workspace,
    writable: [],
    protect: [],
    network: [],
    environment: {},
    limits: PROBE_LIMITS,
  });
  const text = Buffer.from(result.stdout.head).toString();
  if (result.exitCode !== 0 || text === "") {
    const said = Buffer.from(result.stderr.head).toString().trim().slice(0, 500);
    return {
      ok: false,
      reason: `the script that tries the sandbox did not run to its end: ${said || result.ending}`,
    };
  }
  const written = [...(await readdir(folders.workspace)), ...(await readdir(folders.outside))];
  const failures = judge(JSON.parse(text), report);
  if (written.length > 0) failures.push("a file was written outside");
  if (listener.connections() > 0) failures.push("a connection to this machine was made");
  return failures.length === 0
    ? { ok: true, report }
    : { ok: false, reason: `the sandbox does not hold: ${failures.join("; ")}` };
}

type Answer =
  | "workspace"
  | "outside"
  | "skill"
  | "system"
  | "connection"
  | "noNewPrivileges"
  | "capabilities"
  | "filter";

function judge(answers: Readonly<Partial<Record<Answer, unknown>>>, report: SandboxReport): string[] {
  const failures = (["workspace", "outside", "skill", "system", "connection"] as const)
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

async function inFolders<Result>(use: (folders: Folders) => Promise<Result>): Promise<Result> {
  const made: string[] = [];
  const make = async (name: string): Promise<string> => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), `skillet-probe-${name}-`)));
    made.push(folder);
    // Root's scripts run as another user, who must be able to read it.
    await chmod(folder, 0o755);
    return folder;
  };
  try {
    const folders = {
      skill: await make("skill"),
      workspace: await make("workspace"),
      outside: await make("outside"),
    };
    await writeFile(join(folders.skill, SCRIPT), PROBE_SCRIPT);
    // Whatever the umask left of it.
    await chmod(join(folders.skill, SCRIPT), 0o644);
    return await use(folders);
  } finally {
    for (const folder of made) await rm(folder, { recursive: true, force: true });
  }
}

async function withListener<Result>(use: (listener: Listener) => Promise<Result>): Promise<Result> {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  try {
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return await use({ port, connections: () => connections });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** What a probe says that could not be carried out; an error that is not the sandbox's is thrown again. */
export function failedProbe(error: unknown): SandboxProbe {
  if (!SkilletError.isInstance(error)) throw error;
  const { reason, fix } = error.data;
  return {
    ok: false,
    reason: typeof reason === "string" ? reason : error.message,
    ...(typeof fix === "string" && { fix }),
  };
}
