import { join } from "node:path";
import { onRefusal } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { showName } from "@skillet/kit/text";
import type { Resource, ResourceIndex, ScriptFacts } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { showValue } from "../model-input.ts";
import { normaliseResourcePath } from "../read/read-resource.ts";
import {
  type RunOptions,
  refuse,
  type ScriptCall,
  type ScriptRefusal,
  type ScriptRefusalCode,
} from "../script-runner.ts";
import type { SourceReader } from "../skill-reader.ts";

export const MAX_SCRIPT_TIMEOUT_MS = 600_000;

// Beyond about these sizes, Linux refuses to start a program.
export const MAX_ARGUMENTS = 1024;
const MAX_ARGUMENT_BYTES = 128 * 1024;
const MAX_STDIN_BYTES = 16 * 1024 * 1024;

/** Hosts pass on a model's input, so everything is checked. The default timeout is cut to the maximum. */
export function checkScriptCall(
  path: unknown,
  args: unknown,
  options: RunOptions,
  { defaultTimeoutMs, workspace }: { readonly defaultTimeoutMs: number; readonly workspace: string },
): (Pick<ScriptCall, "args" | "cwd" | "folder" | "timeoutMs" | "stdin"> & { path: string }) | ScriptRefusal {
  const normal = typeof path === "string" ? normaliseResourcePath(path) : undefined;
  if (normal === undefined || !/^scripts\/./.test(normal))
    return refuse(
      "script-path-invalid",
      "The path is not one below scripts/; pass it relative to the skill's folder, like scripts/fill.py.",
    );
  const problem = argumentsProblem(args) ?? optionsProblem(options);
  const start = problem ?? readStart(options.cwd, workspace);
  if (typeof start === "string") return refuse("script-arguments-invalid", start);
  const stdin = readStdin(options.stdin);
  if (typeof stdin === "string") return refuse("script-arguments-invalid", stdin);
  return {
    path: normal,
    args: [...(args as readonly string[])],
    ...start,
    timeoutMs: options.timeoutMs ?? Math.min(defaultTimeoutMs, MAX_SCRIPT_TIMEOUT_MS),
    ...(stdin !== undefined && { stdin }),
  };
}

function argumentsProblem(args: unknown): string | undefined {
  if (!Array.isArray(args)) return "The arguments are not a list; pass a list of texts.";
  if (args.length > MAX_ARGUMENTS)
    return `There are ${args.length} arguments; pass at most ${MAX_ARGUMENTS}, or a file that lists them.`;
  let bytes = 0;
  for (let index = 0; index < args.length; index += 1) {
    const value: unknown = args[index];
    if (typeof value !== "string") return `Argument ${index + 1} is not text; put it in quotes.`;
    if (value.includes("\0")) return `Argument ${index + 1} has a NUL in it, which no program can take.`;
    bytes += Buffer.byteLength(value) + 1;
  }
  return bytes > MAX_ARGUMENT_BYTES
    ? `The arguments have ${bytes} bytes; pass at most ${MAX_ARGUMENT_BYTES}, or put long text into a file.`
    : undefined;
}

function optionsProblem({ timeoutMs }: { timeoutMs?: unknown }): string | undefined {
  const isTime = typeof timeoutMs === "number" && Number.isInteger(timeoutMs);
  return timeoutMs === undefined || (isTime && timeoutMs >= 1 && timeoutMs <= MAX_SCRIPT_TIMEOUT_MS)
    ? undefined
    : `timeoutMs is ${showValue(timeoutMs)}; pass a whole number from 1 to ${MAX_SCRIPT_TIMEOUT_MS}.`;
}

/** Where a script starts, or what is wrong with it. A missing folder passes: it may be on another machine. */
function readStart(cwd: unknown, workspace: string): Pick<ScriptCall, "cwd" | "folder"> | string {
  if (cwd === undefined || cwd === "workspace" || cwd === ".") return { cwd: "workspace" };
  if (cwd === "skill") return { cwd };
  const folder = typeof cwd === "string" ? normaliseResourcePath(cwd) : undefined;
  if (folder === undefined)
    return `cwd is ${showValue(cwd)}; pass "workspace", "skill", or a folder in the workspace such as "./labs".`;
  if (!isInside(canonicalPath(join(workspace, folder)), workspace))
    return `cwd is ${showValue(cwd)}, which leads out of the workspace; pass a folder in it.`;
  return { cwd: "workspace", folder };
}

function readStdin(stdin: unknown): Uint8Array | string | undefined {
  if (stdin === undefined) return undefined;
  if (typeof stdin !== "string" && !(stdin instanceof Uint8Array))
    return "stdin is neither text nor bytes; pass one of them.";
  // Copied, so that the caller cannot change it meanwhile.
  const bytes = typeof stdin === "string" ? Buffer.from(stdin) : Uint8Array.from(stdin);
  return bytes.length > MAX_STDIN_BYTES
    ? `stdin has ${bytes.length} bytes; pass at most ${MAX_STDIN_BYTES}, or a file.`
    : bytes;
}

export type IndexedScript = Resource & { readonly script: ScriptFacts };

export async function findScript(
  skill: Skill,
  path: string,
  index: ResourceIndex,
  reader: SourceReader,
): Promise<IndexedScript | ScriptRefusal> {
  const shown = showName(path);
  const indexed = index.resources.find((resource) => resource.path === path);
  if (indexed === undefined)
    return refuse("script-not-indexed", `${shown} is not a file of ${showName(skill.qualifiedName)}.`);
  const { script, contentKind } = indexed;
  if (contentKind === "link") {
    const fault = await probe(skill, path, reader);
    if (fault?.code === "script-outside-root") return fault;
    return refuse("script-not-file", `${shown} is a link, and links are not followed; put the file there.`);
  }
  const isScript = script?.executable || script?.shebang !== undefined || script?.runtime !== "unknown";
  if (script === undefined || !isScript)
    return refuse(
      "resource-not-script",
      `${shown} is not a script: it has no shebang, no ending that names an interpreter, and is not executable.`,
    );
  return (await probe(skill, path, reader)) ?? { ...indexed, script };
}

// Checks only the place: the bytes that run are read, and compared, later.
async function probe(skill: Skill, path: string, reader: SourceReader): Promise<ScriptRefusal | undefined> {
  const probed = reader.readFile(skill, path, { maxBytes: 0 }).then(() => undefined);
  return onRefusal(probed, (error) => {
    const code = PLACE_FAULTS.get(error.code);
    // A missing file is found when the tree is compared. The error's own message could reveal a link's
    // target.
    return code === undefined ? undefined : refuse(code, `${showName(path)} ${PLACE_TEXTS[code]}`);
  });
}

type PlaceFault = Extract<ScriptRefusalCode, "script-outside-root" | "script-not-file" | "permission-denied">;

const PLACE_FAULTS: ReadonlyMap<string, PlaceFault> = new Map([
  ["path-outside-root", "script-outside-root"],
  ["path-changed", "script-outside-root"],
  ["link-refused", "script-not-file"],
  ["not-a-file", "script-not-file"],
  ["permission-denied", "permission-denied"],
]);

const PLACE_TEXTS: Readonly<Record<PlaceFault, string>> = {
  "script-outside-root": "leads out of the skill, and was not opened; put the file there itself.",
  "script-not-file": "is not a regular file; put the file there itself.",
  "permission-denied": "may not be read; check its permissions.",
};
