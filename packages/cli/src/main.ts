import type { Interrupt } from "./command-context.ts";
import { readPipedInput } from "./read-piped-input.ts";
import { runSkillet } from "./run-skillet.ts";
import { createConfirm } from "./ui/confirm.ts";

export { runSkillet };

/** Runs the command of this process; the launcher calls it. */
export async function main(options: { readonly version: string }): Promise<void> {
  watchOutput(process.stdout, "Standard output");
  watchOutput(process.stderr, "Standard error");
  const workingDirectory = currentDirectory();
  if (workingDirectory === undefined) {
    process.stderr.write(
      "error: The working directory no longer exists.\n  Change to another one first: cd ~\n",
    );
    process.exitCode = 2;
    return;
  }
  // Standard input is made only where somebody could be asked: making it takes time.
  const confirm = process.stderr.isTTY ? createConfirm(process.stdin, process.stderr) : undefined;
  const exitCode = await runSkillet(process.argv.slice(2), {
    version: options.version,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    workingDirectory,
    ...(confirm && { confirm, dialog: { input: process.stdin, output: process.stderr } }),
    readInput: readPipedInput,
    onInterrupt: takeOverSignals,
  });
  // What could not be written is told when its turn comes, which may be before or after this.
  process.exitCode ??= exitCode;
}

// `skillet show | head` closes the pipe early; that is the reader's wish and no failure. The command goes on to
// its end, so that its exit code is the right one. A full disk is a failure, told once: every further write fails too.
function watchOutput(stream: NodeJS.WriteStream, name: string): void {
  let isTold = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 2;
    if (isTold || stream === process.stderr) return;
    isTold = true;
    process.stderr.write(
      `error: ${name} could not be written (${error.code ?? error.message}) and is not whole; free some space, or write it elsewhere.\n`,
    );
  });
}

const INTERRUPTS = ["SIGHUP", "SIGINT", "SIGTERM"] as const satisfies readonly Interrupt[];

// Node ignores SIGPIPE and tells of it by an error; told once, since every further write brings another.
function takeOverSignals(listener: (signal: Interrupt) => void): () => void {
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== "EPIPE") return;
    process.stdout.off("error", onError);
    listener("SIGPIPE");
  };
  process.stdout.on("error", onError);
  for (const signal of INTERRUPTS) process.on(signal, listener);
  return () => {
    process.stdout.off("error", onError);
    for (const signal of INTERRUPTS) process.off(signal, listener);
  };
}

function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
