import type { Socket } from "node:net";
import { SkilletError } from "@skillet/kit/errors";
import { FRAMING, MULTIPLEX_LIMITS } from "./frames.ts";
import { type MultiplexOptions, multiplex } from "./multiplex.ts";

/** The bridge's exit code if it cannot listen; the script did not start, and standard error says why. */
export const BRIDGE_FAILED_EXIT_CODE = 125;

// In the programs it starts, Node closes all descriptors up to here, higher ones only up to the first gap.
const MAX_DESCRIPTOR = 15;
// The bridge lives under the script's memory limit.
const NODE_OPTIONS: readonly string[] = ["--max-old-space-size=64", "--v8-pool-size=1"];

/** Arguments for Node; the script's own program and arguments follow them. */
export function bridgeArguments(descriptor: number): readonly string[] {
  if (!Number.isInteger(descriptor) || descriptor < 3 || descriptor > MAX_DESCRIPTOR) {
    const message = `The network bridge was given the descriptor ${descriptor}: pass one from 3 to ${MAX_DESCRIPTOR}, which Node closes for the script.`;
    throw new SkilletError("bridge-descriptor-invalid", message);
  }
  return [...NODE_OPTIONS, "-e", bridgeProgram(), "--", String(descriptor)];
}

// Some compilers wrap functions in a call of the helper `__name`, so the functions' source text needs it.
function bridgeProgram(): string {
  const parts = Object.entries(FRAMING).map(([name, part]) => `${name}: ${part}`);
  return `const __name = (value) => value;
(${runBridge})({
  multiplex: ${multiplex},
  parts: { ${parts.join(", ")} },
  limits: ${JSON.stringify(MULTIPLEX_LIMITS)}, port: ${BRIDGE_PORT}, failedExitCode: ${BRIDGE_FAILED_EXIT_CODE} });`;
}

const BRIDGE_PORT = 3128;
/** The proxy's address inside the sandbox. */
export const PROXY_AUTHORITY: string = `127.0.0.1:${BRIDGE_PORT}`;

export function proxyEnvironment(): Readonly<Record<string, string>> {
  const proxy = `http://${PROXY_AUTHORITY}`;
  // curl reads http_proxy only in lower case; some programs read only upper case.
  const names = ["http_proxy", "https_proxy", "all_proxy"].flatMap((name) => [name, name.toUpperCase()]);
  return {
    ...Object.fromEntries(names.map((name) => [name, proxy])),
    // Empty, because a grant for localhost means the machine outside, which only the proxy can reach.
    no_proxy: "",
    NO_PROXY: "",
    // Read by fetch from Node 22.21 and 24 on; in Node 20, scripts must use the proxy explicitly.
    NODE_USE_ENV_PROXY: "1",
  };
}

/**
 * The program between sandbox and script. It carries every connection to its port over an inherited
 * descriptor, starts the script without that descriptor, and exits with the script's exit status.
 *
 * It is sent into the sandbox as source text, so it may use only globals, its argument and built-in modules.
 */
function runBridge(
  settings: Pick<MultiplexOptions, "limits" | "parts"> & {
    readonly multiplex: typeof multiplex;
    readonly port: number;
    readonly failedExitCode: number;
  },
): void {
  const net = process.getBuiltinModule("node:net");
  const { writeSync } = process.getBuiltinModule("node:fs");
  const { constants } = process.getBuiltinModule("node:os");
  const { spawn } = process.getBuiltinModule("child_process");
  const MAX_WAITING = 256;
  // Without a handler, this signal opens Node's debugger, and the script could control the bridge.
  process.on("SIGUSR1", () => undefined);
  const [, descriptor = "", program = "", ...args] = process.argv;

  const fail = (exitCode: number, message: string): never => {
    writeSync(2, `skillet: ${message}\n`);
    process.exit(exitCode);
  };

  const openChannel = (): Socket => {
    try {
      return new net.Socket({ fd: Number(descriptor) });
    } catch (error) {
      return fail(settings.failedExitCode, `the network bridge has no channel: ${String(error)}`);
    }
  };

  const waiting: Socket[] = [];
  let connected = true;
  const multiplexer = settings.multiplex(openChannel(), {
    limits: settings.limits,
    parts: settings.parts,
    onEnd: () => {
      connected = false;
      for (const socket of waiting) socket.destroy();
    },
  });

  const carry = (socket: Socket): void => {
    const connection = multiplexer.open();
    if (connection === undefined) {
      if (connected && waiting.length < MAX_WAITING) waiting.push(socket);
      else socket.destroy();
      return;
    }
    connection.on("error", () => socket.destroy());
    socket.on("error", () => connection.destroy());
    socket.on("close", () => connection.destroy());
    connection.on("close", () => {
      // Keep reading and drop the data: a socket that is not read never sees its own end.
      if (connection.readableEnded) socket.resume();
      else socket.destroy();
      const next = waiting.shift();
      if (next !== undefined) carry(next);
    });
    connection.pipe(socket).pipe(connection);
  };

  const start = (): void => {
    const script = spawn(program, args, { stdio: "inherit" });
    script.on("error", (error: NodeJS.ErrnoException) =>
      fail(error.code === "ENOENT" ? 127 : 126, `${program} could not be started: ${error.message}`),
    );
    script.on("exit", (code, signal) => {
      process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  };

  net
    .createServer({ allowHalfOpen: true, pauseOnConnect: true }, carry)
    .on("error", (error) =>
      fail(settings.failedExitCode, `the network bridge could not listen: ${error.message}`),
    )
    .listen(settings.port, "127.0.0.1", start);
}
