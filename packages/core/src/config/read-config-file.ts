import { realpathSync } from "node:fs";
import { SkilletError } from "@skillet/kit/errors";
import { isInside, leadsNowhere, readBoundedFile } from "@skillet/kit/files";
import type { FoundProblem } from "./config-problem.ts";

export const MAX_CONFIG_BYTES: number = 256 * 1024;

export interface ConfigFileReading {
  readonly text?: string;
  readonly problem?: FoundProblem;
}

/**
 * `inside` is the folder that links must not lead out of. The user's own file may be a link into a dotfile
 * repository; a project's link to another file would show that file's lines in error messages.
 */
export function readConfigFile(file: string, options: { readonly inside?: string } = {}): ConfigFileReading {
  try {
    if (options.inside !== undefined && leadsOut(file, options.inside)) {
      const message = `the file is, or is reached through, a link that leads out of ${options.inside}`;
      return { problem: { file, message, hint: "replace the link by a file" } };
    }
    const bytes = readBoundedFile(file, { maxBytes: MAX_CONFIG_BYTES });
    return bytes === undefined ? {} : decode(file, bytes);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const hint = "make it a regular file that you can read, or remove it";
    return { problem: { file, message: MESSAGES.get(error.code) ?? error.message, hint } };
  }
}

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["not-a-file", "this is not a regular file"],
  ["file-too-large", `the file is larger than ${MAX_CONFIG_BYTES} bytes`],
  ["file-not-found", "this is a link to a file that does not exist"],
  ["permission-denied", "the file may not be read"],
]);

function leadsOut(file: string, folder: string): boolean {
  try {
    return !isInside(realpathSync.native(file), realpathSync.native(folder));
  } catch (error) {
    // Reading the file reports this.
    if (leadsNowhere(error)) return false;
    throw error;
  }
}

function decode(file: string, bytes: Uint8Array): ConfigFileReading {
  try {
    // The decoder also strips a byte order mark.
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { problem: { file, message: "the file is not UTF-8 text", hint: "save it again as UTF-8" } };
  }
}
