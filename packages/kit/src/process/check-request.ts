import { closeSync, constants, openSync, readSync } from "node:fs";
import { SkilletError, undefinedOn } from "../errors.ts";
import type { ProcessRequest } from "./process-request.ts";
import { MARK_NAME } from "./process-tree.ts";

const MAX_DEADLINE_MS = 24 * 60 * 60 * 1000;
// Kept in memory.
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const MAX_DESCRIPTORS = 64;
const MAX_ID = 2 ** 32 - 2;

export function checkRequest(request: ProcessRequest): void {
  checkArguments(request.argv);
  checkEnvironment(request.environment);
  if (!request.cwd.startsWith("/") || request.cwd.includes("\0")) {
    refuse(`The working directory must be an absolute path without NUL, not ${quote(request.cwd)}`);
  }
  checkRange("deadlineMs", request.deadlineMs, 1, MAX_DEADLINE_MS);
  checkRange("maxOutputBytes", request.maxOutputBytes, 0, MAX_OUTPUT_BYTES);
  checkRange("maxSeenBytes", request.maxSeenBytes, 0, Number.MAX_SAFE_INTEGER);
  checkRange("user.uid", request.user?.uid, 0, MAX_ID);
  checkRange("user.gid", request.user?.gid, 0, MAX_ID);
  checkRange("descriptors.length", request.descriptors?.length, 0, MAX_DESCRIPTORS);
}

function checkArguments(argv: readonly string[]): void {
  const [program] = argv;
  if (program === undefined || !program.startsWith("/")) {
    refuse(`The program must be an absolute path, not ${quote(program ?? "")}; nothing is looked up in PATH`);
  }
  const broken = argv.findIndex((argument) => argument.includes("\0"));
  if (broken !== -1)
    refuse(`Argument ${broken} of ${quote(program)} contains NUL; pass such text on standard input`);
}

function checkEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(environment)) {
    if (name === "" || /[=\0]/.test(name)) {
      refuse(`The variable name ${quote(name)} is empty or contains = or NUL; rename it`);
    }
    if (value.includes("\0"))
      refuse(`The variable ${name} has a value with NUL; pass such text on standard input`);
    if (name === MARK_NAME) refuse(`The variable ${MARK_NAME} is set by Skillet itself; leave it out`);
  }
}

function checkRange(name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least && value <= most)) return;
  refuse(`${name} must be a whole number from ${least} to ${most}, not ${value}`);
}

function refuse(message: string): never {
  throw new SkilletError("process-request-invalid", `${message}.`);
}

/** As JSON, because a name from outside may contain control characters. */
function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

/**
 * Refuses an executable file that is neither a binary nor a script that names its interpreter: the C library
 * would hand such a file to a shell, and a shell must never start unasked.
 */
export function checkProgram(program: string): void {
  const head = readProgramHead(program);
  // An unreadable file may still be executable; starting it reports any problem.
  if (head === undefined || head.toString("latin1").startsWith("#!") || nativeFormat(head)) return;
  const message = `${program} is neither a binary nor a script with an interpreter in its first line; start it through its interpreter.`;
  throw new SkilletError("process-not-executable", message);
}

/** The first four bytes of a program; undefined if it cannot be read. */
export function readProgramHead(path: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const head = Buffer.alloc(4);
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0));
  } catch (error) {
    return undefinedOn("ENOENT", "EACCES", "EPERM", "ENOTDIR", "EISDIR", "ELOOP", "EAGAIN")(error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The format of a program that the system runs without an interpreter, by its first bytes. */
export function nativeFormat(head: Uint8Array): "ELF" | "Mach-O" | undefined {
  const magic = Buffer.from(head.subarray(0, 4)).toString("hex");
  if (magic === "7f454c46") return "ELF";
  // In its four spellings, and as a universal binary.
  const isMach = ["feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe"].includes(magic);
  return isMach ? "Mach-O" : undefined;
}
