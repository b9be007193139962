import { isAbsolute, posix, resolve } from "node:path";
import { canonicalTool, SCRIPT_TOOL, toolKind } from "../../config/tool-rule/tool-rule.ts";
import type { ToolCall } from "../check-tool-call.ts";
import { readArguments, readShell } from "../shell/read-shell.ts";
import type { ShellReading } from "../shell/shell-act.ts";

export type CallSubject = {
  /** In the canonical spelling. */
  readonly tool: string;
} & (
  | { readonly kind: "shell"; readonly acts: ShellReading }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "domain"; readonly domain: string }
  | {
      readonly kind: "value";
      readonly value: string;
      readonly aliases?: readonly string[];
      /** Names that other things share: enough to be denied or asked about, not to be allowed. */
      readonly shared?: readonly string[];
    }
  /** Only rules for the tool as a whole can cover it. */
  | { readonly kind: "whole"; readonly reason: string }
);

export interface CallDirectories {
  readonly project: string;
  readonly home?: string;
}

/** Longer paths, addresses and names are not compared with patterns. */
const MAX_TEXT_CHARACTERS = 4096;

/** Reads a call; if its input is not understood, only rules for the tool as a whole can cover it. */
export function readCall(call: ToolCall, directories: CallDirectories): CallSubject {
  const tool = canonicalTool(call.tool);
  const whole = (reason: string): CallSubject => ({ tool, kind: "whole", reason });
  const unread = (what: string): CallSubject =>
    whole(call.input === undefined ? "no input was given" : `its ${what} cannot be read`);
  switch (toolKind(tool)) {
    case "shell": {
      const acts = readShellInput(call.input, directories);
      return typeof acts === "string" ? whole(acts) : { tool, kind: "shell", acts };
    }
    case "path": {
      const path = readPath(tool, call.input, directories);
      return path === undefined ? unread("path") : { tool, kind: "path", path };
    }
    case "domain": {
      const domain = readDomain(inputText(call.input, ["url"]));
      return domain === undefined ? unread("address") : { tool, kind: "domain", domain };
    }
    case "value": {
      const value =
        tool === SCRIPT_TOOL
          ? readScript(call.input)
          : inputText(call.input, ["skill", "name", "subagent_type", "agent", "command"]);
      return value === undefined ? unread("input") : { tool, kind: "value", value };
    }
    default:
      return whole("no pattern is for this tool");
  }
}

/** Properties of a shell tool's input that do not change what the command does. */
const PLAIN_PROPERTIES: ReadonlySet<string> = new Set(
  "command description justification timeout timeout_ms timeoutMs run_in_background runInBackground".split(
    " ",
  ),
);
const PLACE_PROPERTIES: ReadonlySet<string> = new Set(["cwd", "workdir"]);

function readShellInput(input: unknown, directories: CallDirectories): ShellReading | string {
  if (typeof input === "string") return readShell(input);
  if (typeof input !== "object" || input === null) return "there is no command in its input";
  for (const [name, value] of Object.entries(input)) {
    if (PLAIN_PROPERTIES.has(name) || value === undefined || value === null) continue;
    // In another folder the same command means something else: another repository, another Makefile.
    const isHere = PLACE_PROPERTIES.has(name) && value === directories.project;
    if (!isHere) return `its input has \`${name}\`, which no pattern covers`;
  }
  const command: unknown = Reflect.get(input, "command");
  if (typeof command === "string") return readShell(command);
  if (Array.isArray(command) && command.every((word) => typeof word === "string"))
    return readArguments(command);
  return "there is no command in its input";
}

function readPath(tool: string, input: unknown, directories: CallDirectories): string | undefined {
  const searches = tool === "glob" || tool === "grep" || tool === "ls";
  const path =
    inputText(input, ["file_path", "path", "filePath", "notebook_path"]) ?? (searches ? "." : undefined);
  if (path === undefined || path === "" || /[\p{Cc}]/u.test(path)) return undefined;
  // A search pattern can lead out of the folder where it starts.
  if (tool === "glob" && leadsAway(input)) return undefined;
  if (!path.startsWith("~")) return resolve(directories.project, path);
  const { home } = directories;
  return home !== undefined && /^~[\\/]/.test(path) ? resolve(home, path.slice(2)) : undefined;
}

// Includes alternatives and classes, which engines expand before they search.
function leadsAway(input: unknown): boolean {
  if (typeof input !== "object" || input === null || !("pattern" in input)) return false;
  const { pattern } = input;
  return typeof pattern !== "string" || isAbsolute(pattern) || /\.\.|^[~\\]|[{,(|][~/\\]|\.\[/.test(pattern);
}

function readDomain(address: string | undefined): string | undefined {
  // Clients disagree about the host of addresses with a backslash, white space or an at sign before the path.
  if (address === undefined || !/^https?:\/\/[^\s\\@/?#]+(?:[/?#][^\s\\]*)?$/i.test(address))
    return undefined;
  return URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, "") : undefined;
}

function readScript(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return inputText(input, []);
  const [skill, path] = [inputText(input, ["skill"]), inputText(input, ["path"])];
  // A path that is not normalised would evade rules that name the script.
  const isPlain = path !== undefined && posix.normalize(path) === path && !/[\\\s]/.test(path);
  return skill !== undefined && isPlain ? `${skill}:${path}` : undefined;
}

function inputText(input: unknown, names: readonly string[]): string | undefined {
  const properties = typeof input === "object" && input !== null ? input : undefined;
  const isGiven = (name: string): boolean =>
    properties !== undefined && Object.hasOwn(properties, name) && Reflect.get(properties, name) !== null;
  const found = names.filter(isGiven);
  // With two of them, it is unclear which one the host uses.
  const [name = "", ...others] = found;
  const text: unknown = properties === undefined ? input : Reflect.get(properties, name);
  return typeof text === "string" && others.length === 0 && text.length <= MAX_TEXT_CHARACTERS
    ? text
    : undefined;
}
