import { quoteName } from "@skillet/kit/text";
import { normaliseResourcePath } from "../read/resource-path.ts";
import { refuse, type ScriptRefusal } from "./script-refusal.ts";
import type { RunOptions } from "./script-run.ts";

/** What no script gets more of, whoever asks. */
export const MAX_SCRIPT_TIMEOUT_MS = 600_000;

// Beyond these Linux refuses to start a program, or nearly.
export const MAX_ARGUMENTS = 1024;
const MAX_ARGUMENT_BYTES = 128 * 1024;
const MAX_STDIN_BYTES = 16 * 1024 * 1024;

/** A call whose shape is right; nothing is known yet about the script. */
export interface CheckedCall {
  /** Below `scripts/`, in its one spelling. */
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: "workspace" | "skill";
  readonly timeoutMs: number;
  readonly stdin?: Uint8Array;
}

/**
 * Checks the shape of a call; hosts hand on what a model wrote, so nothing is taken for granted.
 *
 * @param defaultTimeoutMs The configuration's, which is cut to what any script gets at most.
 */
export function checkScriptCall(
  path: unknown,
  args: unknown,
  options: RunOptions,
  defaultTimeoutMs: number,
): CheckedCall | ScriptRefusal {
  const normal = typeof path === "string" ? normaliseResourcePath(path) : undefined;
  if (normal === undefined || !/^scripts\/./.test(normal))
    return refuse(
      "script_path_invalid",
      "The path is not one below scripts/; pass it relative to the skill's folder, like scripts/fill.py.",
    );
  const problem =
    argumentsProblem(args) ?? timeoutProblem(options.timeoutMs) ?? cwdProblem(options.cwd) ?? undefined;
  if (problem !== undefined) return refuse("script_arguments_invalid", problem);
  const stdin = readStdin(options.stdin);
  if (typeof stdin === "string") return refuse("script_arguments_invalid", stdin);
  return {
    path: normal,
    args: [...(args as readonly string[])],
    cwd: options.cwd ?? "workspace",
    timeoutMs: options.timeoutMs ?? Math.min(defaultTimeoutMs, MAX_SCRIPT_TIMEOUT_MS),
    ...(stdin !== undefined && { stdin }),
  };
}

function argumentsProblem(args: unknown): string | undefined {
  if (!Array.isArray(args)) return "The arguments are no list; pass a list of texts.";
  if (args.length > MAX_ARGUMENTS)
    return `There are ${args.length} arguments; pass at most ${MAX_ARGUMENTS}, or a file that lists them.`;
  let bytes = 0;
  for (let index = 0; index < args.length; index += 1) {
    const value: unknown = args[index];
    if (typeof value !== "string") return `Argument ${index + 1} is no text; put it in quotes.`;
    if (value.includes("\0")) return `Argument ${index + 1} has a NUL in it, which no program can take.`;
    bytes += Buffer.byteLength(value) + 1;
  }
  return bytes > MAX_ARGUMENT_BYTES
    ? `The arguments have ${bytes} bytes; pass at most ${MAX_ARGUMENT_BYTES}, or put long text into a file.`
    : undefined;
}

function timeoutProblem(timeoutMs: unknown): string | undefined {
  if (timeoutMs === undefined) return undefined;
  if (
    Number.isInteger(timeoutMs) &&
    (timeoutMs as number) >= 1 &&
    (timeoutMs as number) <= MAX_SCRIPT_TIMEOUT_MS
  )
    return undefined;
  return `timeoutMs is ${show(timeoutMs)}; pass a whole number from 1 to ${MAX_SCRIPT_TIMEOUT_MS}.`;
}

function cwdProblem(cwd: unknown): string | undefined {
  if (cwd === undefined || cwd === "workspace" || cwd === "skill") return undefined;
  return `cwd is ${show(cwd)}; pass "workspace" or "skill".`;
}

function readStdin(stdin: unknown): Uint8Array | string | undefined {
  if (stdin === undefined) return undefined;
  if (typeof stdin !== "string" && !(stdin instanceof Uint8Array))
    return "stdin is neither text nor bytes; pass one of them.";
  // A copy, so that what the caller does with its own meanwhile does not matter.
  const bytes = typeof stdin === "string" ? Buffer.from(stdin) : Uint8Array.from(stdin);
  return bytes.length > MAX_STDIN_BYTES
    ? `stdin has ${bytes.length} bytes; pass at most ${MAX_STDIN_BYTES}, or a file.`
    : bytes;
}

function show(value: unknown): string {
  if (typeof value === "string") return quoteName(value.slice(0, 40));
  // An object of a model's can make a text of itself that is none.
  return typeof value === "object" && value !== null ? "an object" : String(value).slice(0, 40);
}
