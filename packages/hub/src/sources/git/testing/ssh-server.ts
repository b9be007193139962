import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

const SSHD = "/usr/sbin/sshd";
const SSH = "/usr/bin/ssh";
const KEYGEN = "/usr/bin/ssh-keygen";

/** Why no server can run here; undefined if one can. */
export function sshServerMissing(): string | undefined {
  const program = [SSHD, SSH, KEYGEN].find((path) => !existsSync(path));
  return program === undefined ? undefined : `${program} is not installed`;
}

/** A real sshd on loopback with its own keys, and the command with which git reaches it. */
export class SshServer {
  readonly port: number;
  /** For `GIT_SSH_COMMAND`, as a user would set it. */
  readonly command: string;
  readonly #process: ChildProcess;

  private constructor(port: number, command: string, process: ChildProcess) {
    this.port = port;
    this.command = command;
    this.#process = process;
  }

  static async start(folder: string): Promise<SshServer> {
    // The folder for sshd's privilege separation; missing on systems that have never started sshd.
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    mkdirSync(folder);
    const at = (name: string): string => join(folder, name);
    for (const key of ["host", "user"])
      execFileSync(KEYGEN, ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", at(key)]);
    const port = await freePort();
    writeFileSync(at("authorized"), readFileSync(at("user.pub")));
    writeFileSync(at("known"), `[127.0.0.1]:${port} ${readFileSync(at("host.pub"), "utf8")}`);
    writeFileSync(
      at("config"),
      [
        `Port ${port}`,
        "ListenAddress 127.0.0.1",
        `HostKey ${at("host")}`,
        `AuthorizedKeysFile ${at("authorized")}`,
        `PidFile ${at("pid")}`,
        "UsePAM no",
        "StrictModes no",
        "PasswordAuthentication no",
        "KbdInteractiveAuthentication no",
        "PermitRootLogin prohibit-password",
        "AcceptEnv GIT_PROTOCOL",
        "",
      ].join("\n"),
    );
    const server = spawn(SSHD, ["-D", "-e", "-f", at("config")], { stdio: "ignore" });
    await listening(server, port);
    const command = `${SSH} -F /dev/null -i ${at("user")} -o IdentitiesOnly=yes -o UserKnownHostsFile=${at("known")}`;
    return new SshServer(port, command, server);
  }

  url(path: string): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}${path}`;
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGTERM");
    if (this.#process.exitCode === null) await once(this.#process, "exit");
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function listening(server: ChildProcess, port: number): Promise<void> {
  while (server.exitCode === null) {
    if (await canConnect(port)) return;
    await nextTurn();
  }
  throw new Error(`sshd ended with ${server.exitCode}`);
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(socket.destroy() !== undefined));
    socket.once("error", () => resolve(false));
  });
}
