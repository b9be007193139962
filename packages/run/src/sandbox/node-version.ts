import { chmod, mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { DEFAULT_RUN_LIMITS } from "../run-limits.ts";
import type { Interpreter } from "../runtime/interpreter.ts";
import type { Sandbox } from "./sandbox.ts";

const LIMITS = { ...DEFAULT_RUN_LIMITS, timeoutMs: 10_000, outputBytes: 4096 };
// Never read: node prints its version and ends.
const SCRIPT = "version.cjs";

const asked = new WeakMap<Sandbox, Map<string, Promise<string | undefined>>>();

/**
 * The version of a node of this machine, which it is asked for in the sandbox like any script: what lies in PATH by that
 * name may be anything. Asked once for each program; nothing when it does not say.
 */
export async function nodeVersion(sandbox: Sandbox, node: Interpreter): Promise<string | undefined> {
  if (node.version !== undefined) return node.version;
  const key = await identityOf(node.path);
  if (key === undefined) return undefined;
  const known = asked.get(sandbox) ?? new Map<string, Promise<string | undefined>>();
  asked.set(sandbox, known);
  const answer = known.get(key) ?? ask(sandbox, node);
  known.set(key, answer);
  try {
    const version = await answer;
    // What stood in the way may be gone the next time.
    if (version === undefined) known.delete(key);
    return version;
  } catch (error) {
    known.delete(key);
    throw error;
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [path, dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function ask(sandbox: Sandbox, node: Interpreter): Promise<string | undefined> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "skillet-version-")));
  try {
    // Root's scripts run as another user, who must be able to read both, whatever the umask is.
    await chmod(directory, 0o755);
    await writeFile(join(directory, SCRIPT), "");
    await chmod(join(directory, SCRIPT), 0o644);
    const { result } = await sandbox.run({
      skill: { directory, digest: digestBytes(new Uint8Array(0)) },
      interpreter: node,
      flags: ["--version"],
      script: SCRIPT,
      args: [],
      cwd: "skill",
      writable: [],
      protect: [],
      network: [],
      environment: {},
      limits: LIMITS,
    });
    if (result.exitCode !== 0) return undefined;
    return /^v(\d{1,4}\.\d{1,4}\.\d{1,4})\s*$/.exec(Buffer.from(result.stdout.head).toString("latin1"))?.[1];
  } catch (error) {
    // Built for another machine, for example: then nothing is known about it.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
