import type { Diagnostic } from "@skillet/kit/diagnostics";
import { PROXY_AUTHORITY } from "../network/bridge-arguments.ts";
import { formatAuthority, type NetworkGrant } from "../network/network-grant.ts";

export interface RuntimePlan {
  readonly candidates: readonly [RuntimeCandidate, ...(readonly RuntimeCandidate[])];
  readonly remedy: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** One interpreter and how it is called: interpreter, flags, script, then the caller's arguments. */
export interface RuntimeCandidate {
  readonly runtime: string;
  readonly interpreter: string;
  readonly flags: readonly string[];
  /** Goes between script and arguments, for programs that would read arguments as their own flags. */
  readonly separator?: "--";
  /** Requires a node that strips types without a flag. */
  readonly needs?: "type-stripping";
  /** The script asks for no permissions: it gets those of `denoPermissions` in a sandbox, none outside. */
  readonly permissions?: "of-the-sandbox";
  /** Runs files from its working directory, which must therefore be the skill's verified folder. */
  readonly onlyIn?: "skill";
}

export interface RuntimeRefusal {
  readonly refused: string;
}

interface CommandRuntime extends Pick<RuntimeCandidate, "separator" | "onlyIn"> {
  readonly name: string;
  /** Default: the command itself. */
  readonly interpreters?: (command: string) => readonly string[];
  readonly flags?: (network: "granted" | "none") => readonly string[];
  readonly lastFlags?: readonly string[];
  /** Default: all words except a final dash. */
  readonly readWords?: (words: readonly string[]) => readonly string[] | undefined;
  /** Less common runtimes are allowed only if the author marked the script as executable. */
  readonly needsExecutable?: true;
  /** It also looks for a first line where no system would, and obeys it. */
  readonly readsFirstLine?: true;
}

// No prompts, and nothing from the network without a grant.
function denoDefaults(network: "granted" | "none"): readonly string[] {
  return ["run", "--no-prompt", ...(network === "none" ? ["--no-remote", "--no-npm"] : [])];
}

/**
 * The minimum for an ordinary script in a sandbox, which limits files and hosts itself; programs and native
 * code need a first line that asks for them. Older deno versions lack wildcards, so the proxy enforces those.
 */
export function denoPermissions(network: readonly NetworkGrant[]): readonly string[] {
  const hosts = [...network.map(formatAuthority), PROXY_AUTHORITY];
  const isWide = network.some(({ host }) => host.startsWith("*."));
  const net = isWide ? ["--allow-net"] : network.length > 0 ? [`--allow-net=${hosts.join(",")}`] : [];
  return ["--allow-read", "--allow-write", "--allow-env", ...net];
}

// On its own, bun would fetch missing packages.
function bunDefaults(network: "granted" | "none"): readonly string[] {
  return ["run", ...(network === "none" ? ["--no-install"] : [])];
}

const COMMANDS: readonly (readonly [pattern: RegExp, runtime: CommandRuntime])[] = [
  [/^bash$/, { name: "bash" }],
  [/^(?:sh|dash)$/, { name: "sh" }],
  [/^ash$/, { name: "sh", interpreters: () => ["sh"] }],
  [/^python$/, { name: "python", interpreters: () => ["python3", "python"] }],
  [/^python3(?:\.\d{1,2})?$/, { name: "python" }],
  [/^node(?:js)?$/, { name: "node", interpreters: () => ["node"] }],
  [/^deno$/, { name: "deno", flags: denoDefaults, readWords: withoutRun }],
  // bunfig.toml preloads code, .env sets variables, and tsconfig.json can redirect to another script, even if
  // flags name other files.
  [/^bun$/, { name: "bun", flags: bunDefaults, readWords: withoutRun, onlyIn: "skill" }],
  [/^ruby$/, { name: "ruby", readsFirstLine: true }],
  [/^perl5?$/, { name: "perl", interpreters: () => ["perl"], readsFirstLine: true }],
  // Their start files would run before the script: the workspace's (R) or the machine's (zsh, fish).
  [/^zsh$/, { name: "zsh", flags: () => ["-f"], needsExecutable: true }],
  [/^fish$/, { name: "fish", flags: () => ["--no-config"], needsExecutable: true }],
  [/^Rscript$/, { name: "Rscript", flags: () => ["--vanilla"], needsExecutable: true }],
  [/^(?:ksh|ksh93|mksh)$/, { name: "ksh", needsExecutable: true }],
  // They look for modules in the working directory first.
  [/^(?:lua(?:5\.\d)?|luajit)$/, { name: "lua", needsExecutable: true, onlyIn: "skill" }],
  [/^php(?:\d\.\d)?$/, { name: "php", needsExecutable: true, onlyIn: "skill" }],
  [/^tclsh(?:8\.\d)?$/, { name: "tclsh", needsExecutable: true }],
  // awk still reads flags after the script's name, and `-f` there would name another program.
  [
    /^(?:awk|gawk|mawk)$/,
    { name: "awk", readWords: onlyFile, lastFlags: ["-f"], separator: "--", needsExecutable: true },
  ],
];

/**
 * The runtime for a command named in a first line; undefined if it may not run.
 *
 * Left out on purpose: sed, jq and make, which read their arguments as flags and further programs, and
 * anything that drives other programs, such as expect and osascript.
 */
export function runtimeOfCommand(command: string): CommandRuntime | undefined {
  return COMMANDS.find(([pattern]) => pattern.test(command))?.[1];
}

// `#!/bin/sh -` and `--` end the flags, so that the script's name is not read as one.
export function withoutDash(words: readonly string[]): readonly string[] {
  const last = words.at(-1);
  return last === "-" || last === "--" ? words.slice(0, -1) : words;
}

function withoutRun(words: readonly string[]): readonly string[] {
  return words[0] === "run" ? words.slice(1) : words;
}

function onlyFile(words: readonly string[]): readonly string[] | undefined {
  return words.length === 1 && words[0] === "-f" ? [] : undefined;
}

interface Ending {
  readonly family: readonly string[];
  readonly candidates: (network: "granted" | "none") => RuntimePlan["candidates"];
}

function plain(runtime: string, interpreter: string = runtime): RuntimeCandidate {
  return { runtime, interpreter, flags: [] };
}

function only(runtime: string): Ending {
  return { family: [runtime], candidates: () => [plain(runtime)] };
}

const JAVASCRIPT: Ending = { family: ["node", "deno", "bun"], candidates: () => [plain("node")] };
const TYPESCRIPT: Ending = {
  family: JAVASCRIPT.family,
  candidates: (network) => [
    { ...plain("node"), needs: "type-stripping" },
    { ...plain("deno"), flags: denoDefaults(network), permissions: "of-the-sandbox" },
    // Last, because it can be used only in the skill's folder.
    { ...plain("bun"), flags: bunDefaults(network), onlyIn: "skill" },
  ],
};

const ENDINGS: ReadonlyMap<string, Ending> = new Map([
  // Most are written for bash, and those written for sh run in bash too.
  [".sh", { family: ["sh", "bash", "ksh", "zsh"], candidates: () => [plain("bash"), plain("sh")] }],
  [".bash", only("bash")],
  [
    ".py",
    {
      family: ["python", "uv"],
      candidates: () => [plain("python", "python3"), plain("python", "python")],
    },
  ],
  ...[".js", ".mjs", ".cjs"].map((name): [string, Ending] => [name, JAVASCRIPT]),
  ...[".ts", ".mts", ".cts"].map((name): [string, Ending] => [name, TYPESCRIPT]),
  [".rb", only("ruby")],
  [".pl", only("perl")],
]);

export function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot).toLowerCase();
}

export function runtimesOfEnding(path: string): Ending | undefined {
  return ENDINGS.get(endingOf(path));
}

// Linux reads 256 bytes of a file to find its interpreter, and silently cuts a longer line.
const MAX_SHEBANG_BYTES = 255;

export interface Shebang {
  /** The program's name without its folder: the sandbox decides where it is. */
  readonly command: string;
  readonly words: readonly string[];
}

/**
 * Reads a script's first line; undefined if it is not a shebang, a fault if it asks for something refused.
 *
 * Splits words at spaces, with or without `env -S`, though only some systems do: each word is judged anyway.
 */
export function readShebang(head: Uint8Array): Shebang | { readonly fault: string } | undefined {
  if (head[0] !== 0x23 || head[1] !== 0x21) return undefined;
  const end = head.indexOf(0x0a);
  const line = head.subarray(2, end < 0 ? head.length : end);
  if (line.length + 2 > MAX_SHEBANG_BYTES)
    return { fault: `its first line is longer than ${MAX_SHEBANG_BYTES} bytes` };
  const text = Buffer.from(line).toString("latin1").trim();
  if (!/^[\x20-\x7e\t]*$/.test(text))
    return { fault: "its first line holds characters that are not plain text" };
  const [program = "", ...words] = text.split(/[ \t]+/);
  if (!program.startsWith("/")) return { fault: "its first line names no interpreter by an absolute path" };
  const command = nameOf(program);
  return command === "env" ? readEnv(words) : named(command, words);
}

// Perl skips these at the beginning of a file.
const PASSED_OVER = /^(?:\xef\xbb\xbf)?[ \t\v\f\r]*:?[ \t\v\f\r]*(?=#!)/;

/** Reads a first line after a byte order mark or spaces, where no system looks for one. */
export function readHiddenShebang(head: Uint8Array): ReturnType<typeof readShebang> {
  const end = head.indexOf(0x0a);
  const line = Buffer.from(head.subarray(0, end < 0 ? head.length : end)).toString("latin1");
  const [before] = PASSED_OVER.exec(line) ?? [];
  return before === undefined ? undefined : readShebang(head.subarray(before.length));
}

function readEnv(words: readonly string[]): Shebang | { readonly fault: string } {
  const [first = "", ...rest] = words;
  const split = /^(?:-S|--split-string=?)(.*)$/.exec(first);
  const [command = "", ...flags] = split === null ? words : [...(split[1] ? [split[1]] : []), ...rest];
  // `env -S` interprets quotes, escapes and variables; this parser does not.
  if (words.some((word) => /["'\\$#]/.test(word)))
    return { fault: "its first line has quotes, escapes or variables" };
  if (command.startsWith("-")) return { fault: `its first line gives env the flag ${command}` };
  if (command.includes("=")) return { fault: "its first line sets a variable through env" };
  return named(nameOf(command), flags);
}

function named(command: string, words: readonly string[]): Shebang | { readonly fault: string } {
  return command === "" ? { fault: "its first line names no interpreter" } : { command, words };
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** A program that runs scripts, on the machine where the sandbox runs them. */
export interface Interpreter {
  /** As requested: `python3`. */
  readonly name: string;
  /** Absolute, links resolved. */
  readonly path: string;
  /** A folder it needs besides the system's, such as a version manager's; absent for system programs. */
  readonly home?: string;
  /** Such as `22.18.0`; only for node, if it could be determined. */
  readonly version?: string;
}

// From these versions on, in their major line, node strips types by default.
const STRIPPING_SINCE: ReadonlyMap<number, number> = new Map([
  [22, 18],
  [23, 6],
]);

export interface ChosenInterpreter {
  readonly candidate: RuntimeCandidate;
  readonly interpreter: Interpreter;
}

export async function chooseInterpreter(
  plan: RuntimePlan,
  path: string,
  machine: {
    find(name: string): Promise<Interpreter | undefined>;
    /** Called only if the plan depends on the version, since it starts the interpreter. */
    versionOf(interpreter: Interpreter): Promise<string | undefined>;
  },
): Promise<ChosenInterpreter | RuntimeRefusal> {
  const missing: string[] = [];
  for (const candidate of plan.candidates) {
    const interpreter = await machine.find(candidate.interpreter);
    if (interpreter === undefined) {
      missing.push(`${candidate.interpreter} was not found`);
      continue;
    }
    if (candidate.needs !== "type-stripping") return { candidate, interpreter };
    const version = await machine.versionOf(interpreter);
    if (stripsTypes(version)) return { candidate, interpreter };
    missing.push(`node ${version ?? "of an unknown version"} does not run TypeScript`);
  }
  return { refused: `${path} cannot be run: ${missing.join(", ")}. ${plan.remedy}.` };
}

export function stripsTypes(version: string | undefined): boolean {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})\./.exec(version ?? "") ?? [];
  if (major === undefined || minor === undefined) return false;
  const since = STRIPPING_SINCE.get(Number(major));
  return since === undefined ? Number(major) > 23 : Number(minor) >= since;
}
