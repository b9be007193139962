import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** Serves a folder with Python's own web server until the running test ends, and returns its address. */
export async function serveFolder(directory: string): Promise<string> {
  const flags = ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", directory];
  const server = spawn("python3", flags, { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => {
    server.kill("SIGKILL");
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const [, port] = /port (\d+)/.exec(line) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error("python3 -m http.server ended before it served anything");
}
