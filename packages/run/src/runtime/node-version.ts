import { realpathSync } from "node:fs";
import { SkilletError } from "@skillet/core";
import { runProcess } from "@skillet/process";

const DEADLINE_MS = 10_000;
const MAX_OUTPUT_BYTES = 256;

const asked = new Map<string, Promise<string | undefined>>();

/** The version of a node, asked once; nothing when it does not say. */
export function nodeVersion(path: string): Promise<string | undefined> {
  const known = asked.get(path);
  if (known !== undefined) return known;
  const answer =
    path === realpathSync.native(process.execPath) ? Promise.resolve(process.versions.node) : ask(path);
  asked.set(path, answer);
  return answer;
}

async function ask(path: string): Promise<string | undefined> {
  try {
    const { exitCode, stdout } = await runProcess({
      argv: [path, "--version"],
      environment: {},
      cwd: "/",
      deadlineMs: DEADLINE_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
    if (exitCode !== 0) return undefined;
    return /^v(\d{1,4}\.\d{1,4}\.\d{1,4})\s*$/.exec(Buffer.from(stdout.head).toString("latin1"))?.[1];
  } catch (error) {
    // Built for another machine, for example: then nothing is known about it.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}
