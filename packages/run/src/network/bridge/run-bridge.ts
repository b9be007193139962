import type { Socket } from "node:net";
import type { Multiplex, MultiplexOptions } from "./multiplex.ts";

export interface BridgeSettings extends Pick<MultiplexOptions, "limits" | "parts"> {
  readonly multiplex: Multiplex;
  readonly port: number;
  /** With which the bridge ends when it cannot listen, and then the script was not started. */
  readonly failedExitCode: number;
}

/**
 * The program between sandbox and script: carries every connection to its port over an inherited descriptor, starts the
 * script without that descriptor, and ends when the script ends, as the script ended.
 *
 * It runs in the sandbox, from its text: it may use globals, its argument and built-in modules.
 */
export function runBridge(settings: BridgeSettings): void {
  const net = process.getBuiltinModule("node:net");
  const { writeSync } = process.getBuiltinModule("node:fs");
  const { constants } = process.getBuiltinModule("node:os");
  const { spawn } = process.getBuiltinModule("child_process");
  const MAX_WAITING = 256;
  // Otherwise Node opens a debugger on it, and the script could give the bridge orders.
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
      // Read on for nobody: a socket that is not read would never see its own end.
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
