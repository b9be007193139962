import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as nextTurn } from "node:timers/promises";
import type { SshOptions } from "../ssh-options.ts";

const SSHD = "/usr/sbin/sshd";

/** Why no test server can run here; undefined if one can. */
export function sshServerMissing(): string | undefined {
  for (const program of [SSHD, "/usr/bin/ssh", "/usr/bin/ssh-keygen", "/usr/bin/bwrap"])
    if (!existsSync(program)) return `${program} is not installed`;
  return undefined;
}

/** A real sshd on loopback, with its own keys; its sessions get their own home. */
export class SshServer {
  readonly folder: string;
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(folder: string, port: number, process: ChildProcess) {
    this.folder = folder;
    this.port = port;
    this.#process = process;
  }

  static async start(
    settings: { readonly environment?: Readonly<Record<string, string>> } = {},
  ): Promise<SshServer> {
    // The folder that sshd drops its privileges in; a system that has never started sshd lacks it.
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    const folder = mkdtempSync(join(tmpdir(), "skillet-sshd-"));
    mkdirSync(join(folder, "home"));
    for (const key of ["host", "user"])
      execFileSync("/usr/bin/ssh-keygen", [
        "-q",
        "-t",
        "ed25519",
        "-N",
        "",
        "-C",
        "",
        "-f",
        join(folder, key),
      ]);
    const port = await freePort();
    writeFileSync(join(folder, "authorized"), readFileSync(join(folder, "user.pub")));
    writeFileSync(
      join(folder, "known"),
      `[127.0.0.1]:${port} ${readFileSync(join(folder, "host.pub"), "utf8")}`,
    );
    const environment = { HOME: join(folder, "home"), ...settings.environment };
    writeFileSync(
      join(folder, "config"),
      [
        `Port ${port}`,
        "ListenAddress 127.0.0.1",
        `HostKey ${join(folder, "host")}`,
        `AuthorizedKeysFile ${join(folder, "authorized")}`,
        `PidFile ${join(folder, "pid")}`,
        "UsePAM no",
        "StrictModes no",
        "PasswordAuthentication no",
        "KbdInteractiveAuthentication no",
        "PermitRootLogin prohibit-password",
        `SetEnv ${Object.entries(environment)
          .map(([name, value]) => `${name}=${value}`)
          .join(" ")}`,
        "",
      ].join("\n"),
    );
    const server = spawn(SSHD, ["-D", "-e", "-f", join(folder, "config")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    await listening(server, port);
    return new SshServer(folder, port, server);
  }

  options(more: Partial<SshOptions> = {}): SshOptions {
    return {
      destination: `${userInfo().username}@127.0.0.1`,
      port: this.port,
      identityFile: join(this.folder, "user"),
      knownHostsFile: join(this.folder, "known"),
      configFile: "/dev/null",
      directory: join(this.folder, "staged"),
      ...more,
    };
  }

  /** Ends the processes that serve the connections, as if the machine went down. */
  endSessions(): void {
    for (const pid of descendantsOf(this.#process.pid ?? 0).filter(isSshd)) killQuietly(pid);
  }

  /** Suspends those processes, as if the machine were out of reach. */
  stopSessions(): void {
    for (const pid of descendantsOf(this.#process.pid ?? 0).filter(isSshd)) killQuietly(pid, "SIGSTOP");
  }

  endClients(): void {
    for (const pid of processesWith(`Port=${this.port}\0`)) killQuietly(pid);
  }

  stop(): void {
    this.endSessions();
    this.#process.kill("SIGKILL");
    execFileSync("/bin/chmod", ["-R", "u+w", this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Polls for something that cannot be awaited. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn(10);
}

/** Every process on this machine whose command line contains the text. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => readQuietly(`/proc/${name}/cmdline`).includes(text))
    .map(Number);
}

function descendantsOf(root: number): number[] {
  const parents = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [
        Number(name),
        Number(/^PPid:\s*(\d+)$/m.exec(readQuietly(`/proc/${name}/status`))?.[1]),
      ]),
  );
  const found = [root];
  for (const ancestor of found) for (const [pid, parent] of parents) if (parent === ancestor) found.push(pid);
  return found.slice(1);
}

function isSshd(pid: number): boolean {
  return readQuietly(`/proc/${pid}/comm`).startsWith("sshd");
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

function killQuietly(pid: number, signal: "SIGKILL" | "SIGSTOP" = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function listening(server: ChildProcess, port: number): Promise<void> {
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on("data", (chunk: Buffer) => {
      said.push(String(chunk));
      if (said.join("").includes("Server listening on")) resolve();
    });
    server.once("exit", () => reject(new Error(`sshd ended: ${said.join("")}`)));
  });
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port }, () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
