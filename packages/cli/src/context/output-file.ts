import { randomBytes } from "node:crypto";
import { appendFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { LocalSource } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { CliError } from "./cli-error.ts";

const BUFFERED_CHARACTERS = 256 * 1024;

export interface OutputFile {
  write(text: string): void;
  keep(): void;
  drop(): void;
}

/** Opens a report file, which replaces the old file only once it is complete. */
export function openOutputFile(path: string): OutputFile {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw unwritable(path, "it is a folder");
  const temporary = join(dirname(path), `.skillet-${randomBytes(8).toString("hex")}.tmp`);
  let held = "";
  const flush = (): void => {
    attempt(path, () => appendFileSync(temporary, held));
    held = "";
  };
  attempt(path, () => writeFileSync(temporary, "", { flag: "wx" }));
  return {
    write: (text) => {
      held += text;
      if (held.length >= BUFFERED_CHARACTERS) flush();
    },
    keep: () => {
      flush();
      attempt(path, () => renameSync(temporary, path));
    },
    drop: () => rmSync(temporary, { force: true }),
  };
}

function attempt(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw unwritable(path, code);
  }
}

function unwritable(path: string, reason: string): CliError {
  return new CliError("output-unwritable", `The report could not be written to ${path} (${reason}).`, {
    hints: ["Pass --output a file in a folder that exists and that you may write to."],
    details: { path, reason },
  });
}

/** An inaccessible path counts as a folder; searching it then reports why. */
export function pathKind(path: string): "nothing" | "file" | "folder" {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) return "nothing";
    return status.isDirectory() ? "folder" : "file";
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOTDIR", "ENAMETOOLONG"].includes(code)) return "nothing";
    if (["EACCES", "EPERM", "ELOOP"].includes(code)) return "folder";
    throw error;
  }
}

export async function readTextFile(path: string, maxBytes: number): Promise<string> {
  const { bytes, truncated } = await new LocalSource(dirname(path)).read(basename(path), { maxBytes });
  if (truncated)
    throw new SkilletError("file-too-large", `${path} has more than ${maxBytes} bytes.`, {
      data: { path, maxBytes },
    });
  return new TextDecoder().decode(bytes);
}
