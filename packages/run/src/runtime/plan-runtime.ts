import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { nativeFormat } from "@skillet/kit/process";
import { flagFault } from "./allowed-flags.ts";
import {
  endingOf,
  type RuntimeCandidate,
  type RuntimePlan,
  type RuntimeRefusal,
  readHiddenShebang,
  readShebang,
  runtimeOfCommand,
  runtimesOfEnding,
  type Shebang,
  withoutDash,
} from "./choose-runtime.ts";

export interface RuntimeQuestion {
  readonly path: string;
  readonly executable: boolean;
  /** The first 64 KiB of the file, or all of it. */
  readonly head: Uint8Array;
  readonly network: "granted" | "none";
}

type Candidates = RuntimePlan["candidates"];

const AWK_INCLUDE = /^[ \t]*@(?:include|load)/m;

/**
 * Plans how a script runs: by its first line, as the kernel would, else by its extension; or why it does not.
 *
 * The plan names the interpreter without a path: the sandbox decides where it is.
 */
export function planRuntime(question: RuntimeQuestion): RuntimePlan | RuntimeRefusal {
  const { path, head } = question;
  try {
    const shebang = readShebang(head);
    if (shebang !== undefined && "fault" in shebang)
      refuse(shebang.fault, "Write a plain `#!/usr/bin/env python3` or the like.");
    const candidates =
      shebang === undefined ? candidatesByEnding(question) : candidatesByShebang(question, shebang);
    const names = candidates.map(({ interpreter, needs }) =>
      needs === "type-stripping" ? `${interpreter} 22.18 or newer` : interpreter,
    );
    return {
      candidates,
      remedy: `Install ${[...new Set(names)].join(" or ")} where scripts run`,
      diagnostics: [
        ...(shebang === undefined ? [] : noteConflict(path, candidates)),
        ...noteLineEnds(question, candidates),
      ],
    };
  } catch (error) {
    if (!(error instanceof NotRun)) throw error;
    return { refused: `${path} cannot be run: ${error.message}` };
  }
}

class NotRun extends Error {}

function refuse(why: string, remedy: string): never {
  throw new NotRun(`${why}. ${remedy}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

function candidatesByEnding(question: RuntimeQuestion): Candidates {
  const { path, head, network } = question;
  const kind = kindOfBinary(head);
  if (kind !== undefined)
    refuse(`it is ${kind}, which cannot be read before it runs`, "Bring the source as a script instead.");
  const candidates = runtimesOfEnding(path)?.candidates(network);
  if (candidates === undefined)
    return refuse(
      "nothing says which interpreter runs it",
      "Begin it with a line such as `#!/usr/bin/env python3`, or give it an extension such as .sh, .py or .mjs.",
    );
  if (candidates[0].runtime === "python" && hasInlineDependencies(head)) return withPackages(network);
  const hidden = hiddenLineFault(candidates[0].runtime, head);
  if (hidden !== undefined) refuse(hidden, "Begin the file with a plain first line, or with none.");
  return candidates;
}

// Perl accepts more as a first line than the system does, and starts the program named there.
function hiddenLineFault(name: string, head: Uint8Array): string | undefined {
  const runtime = runtimeOfCommand(name);
  const hidden = runtime?.readsFirstLine ? readHiddenShebang(head) : undefined;
  if (runtime === undefined || hidden === undefined) return undefined;
  if ("fault" in hidden) return hidden.fault;
  if (runtimeOfCommand(hidden.command)?.name !== runtime.name)
    return `its first line asks for ${quoted(hidden.command)} after spaces or a byte order mark, and ${runtime.name} would start that`;
  const { readWords = withoutDash } = runtime;
  return flagFault(runtime.name, readWords(hidden.words) ?? hidden.words);
}

// Refused even with a network grant: no digest covers what they fetch, so it is unchecked.
const FETCHERS = new Set("npx bunx pnpx uvx pipx pnpm yarn npm nix-shell nix".split(" "));

function candidatesByShebang(question: RuntimeQuestion, { command, words }: Shebang): Candidates {
  const { path, head, network } = question;
  if (FETCHERS.has(command) || (command === "bun" && words[0] === "x"))
    refuse(
      `its first line has ${command} fetch a program that is not in the skill`,
      "Write it for an interpreter that is installed, and bring what it needs along in the skill.",
    );
  if (command === "uv") return candidatesOfUv(question, words);
  const runtime = runtimeOfCommand(command);
  if (runtime === undefined)
    return refuse(
      `its first line asks for ${quoted(command)}, which is not among the interpreters that may run`,
      "Write it for bash, sh, python3, node, deno, bun, ruby or perl.",
    );
  const { name, readWords = withoutDash } = runtime;
  if (runtime.needsExecutable && !question.executable)
    refuse(`${name} scripts must be executable`, `Run chmod +x ${path} in the skill.`);
  const read = readWords(words);
  const unknown = `its first line calls ${command} in a way that is not known (${quoted(words.join(" "))})`;
  const fault = read === undefined ? unknown : flagFault(name, read);
  if (fault !== undefined) refuse(fault, "Set options in the script itself, and leave the flag out.");
  if (name === "python" && hasInlineDependencies(head)) return withPackages(network);
  if (name === "awk" && AWK_INCLUDE.test(Buffer.from(head).toString("latin1")))
    refuse(
      "it includes another file, which awk looks for in the working directory first",
      "Put all of it into one file.",
    );
  const flags = [...(runtime.flags?.(network) ?? []), ...(read ?? []), ...(runtime.lastFlags ?? [])];
  const [first, ...rest] = (runtime.interpreters?.(command) ?? [command]).map(
    (interpreter): RuntimeCandidate => ({
      runtime: name,
      interpreter,
      flags,
      ...(runtime.separator && { separator: runtime.separator }),
      ...(runtime.onlyIn && { onlyIn: runtime.onlyIn }),
    }),
  );
  return first === undefined ? refuse(unknown, "Name one interpreter.") : [first, ...rest];
}

// `uv run --script` installs the packages in the header; without packages, plain Python will do.
function candidatesOfUv({ head, network }: RuntimeQuestion, words: readonly string[]): Candidates {
  const wrong = words.find((word) => !/^(?:run|--script|-s|--quiet|-q|--no-project|--isolated)$/.test(word));
  if (words[0] !== "run" || wrong !== undefined)
    refuse(
      `its first line gives uv ${quoted(wrong ?? words[0] ?? "")}, and only \`uv run --script\` is known`,
      "List the packages in a `# /// script` header.",
    );
  if (hasInlineDependencies(head)) return withPackages(network);
  return [{ runtime: "python", interpreter: "python3", flags: [] }];
}

function withPackages(network: RuntimeQuestion["network"]): Candidates {
  if (network === "none")
    refuse(
      "its header lists packages, which uv installs from the network, and scripts have none",
      "With uv installed, grant pypi.org and files.pythonhosted.org, or bring the packages along in the skill.",
    );
  // Without the workspace's uv settings, which could name another index, or another Python to run.
  return [{ runtime: "uv", interpreter: "uv", flags: ["run", "--no-config", "--script"] }];
}

function kindOfBinary(head: Uint8Array): string | undefined {
  const format = nativeFormat(head);
  if (format !== undefined) return `a program (${format})`;
  if (!head.includes(0)) return undefined;
  return head[0] === 0x4d && head[1] === 0x5a ? "a program (PE)" : "binary";
}

function noteConflict(path: string, candidates: Candidates): readonly Diagnostic[] {
  const [{ runtime }] = candidates;
  if (runtimesOfEnding(path)?.family.includes(runtime) ?? true) return [];
  const message = `The first line asks for ${runtime}, the extension ${endingOf(path)} for something else; the first line wins, as it does on the system.`;
  const hint = "Give the file an extension that matches.";
  return [diagnostic("info", "script-ending-differs", path, message, hint)];
}

// Shells read the carriage return as part of the last word, and fail in confusing ways.
function noteLineEnds({ path, head }: RuntimeQuestion, [{ runtime }]: Candidates): readonly Diagnostic[] {
  const isShell = runtime === "bash" || runtime === "sh";
  if (!isShell || !Buffer.from(head).includes("\r\n")) return [];
  const message = "The script has Windows line endings, which a shell reads as part of its commands.";
  const hint = `In the folder of the skill, save it with Unix line endings: sed -i 's/\\r$//' ${path}`;
  return [diagnostic("warning", "script-line-ends", path, message, hint)];
}

const MAX_HEADER_BYTES = 64 * 1024;

/** PEP 723. An unparsable header counts as one with packages, so that no script runs without its packages. */
function hasInlineDependencies(head: Uint8Array): boolean {
  const isCut = head.length >= MAX_HEADER_BYTES;
  const lines = Buffer.from(head.subarray(0, MAX_HEADER_BYTES))
    .toString("latin1")
    .split(/\r\n|\r|\n/);
  const headers: (readonly string[])[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!/^# \/\/\/ script[ \t]*$/.test(lines[at] ?? "")) continue;
    const length = lines.slice(at + 1).findIndex((line) => !/^#(?: |$)/.test(line));
    if (length < 0 && isCut) return true;
    const block = lines.slice(at + 1, length < 0 ? undefined : at + 1 + length);
    const end = block.findLastIndex((line) => /^# \/\/\/[ \t]*$/.test(line));
    if (end < 0) continue;
    headers.push(block.slice(0, end).map((line) => line.slice(2)));
    at += end + 1;
  }
  // Two headers are an error, whatever they contain.
  return headers.length > 1 || headers.some(listsPackages);
}

const NOTHING = /^\s*(?:#.*)?$/;
const PYTHON =
  /^\s*(?:requires-python|"requires-python"|'requires-python')\s*=\s*(?:"[^"\\]*"|'[^']*')\s*(?:#.*)?$/;
const LIST = /^\s*(?:dependencies|"dependencies"|'dependencies')\s*=/;
const EMPTY_LIST = /^\s*\[\s*(?:#[^\n]*\n\s*)*\][ \t]*(?:#[^\n]*)?(?:\n|$)/;
const TOOL_TABLE = /^\s*\[{1,2}\s*tool\s*[.\]]/;

// Accepts only what the standard defines, line by line: unusual keys or multi-line text could hide a list.
function listsPackages(lines: readonly string[]): boolean {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (NOTHING.test(line) || PYTHON.test(line)) continue;
    if (!LIST.test(line)) return !TOOL_TABLE.test(line);
    const value = [line.replace(LIST, ""), ...lines.slice(at + 1)].join("\n");
    const [empty] = EMPTY_LIST.exec(value) ?? [];
    if (empty === undefined) return true;
    at += empty.split("\n").length - (empty.endsWith("\n") ? 2 : 1);
  }
  return false;
}
