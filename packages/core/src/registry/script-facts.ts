import type { SourceFile } from "../source/skill-source.ts";
import type { ResourceKind, ScriptFacts } from "./resource.ts";

const MAX_SHEBANG_BYTES = 256;

const RUNTIME_OF_ENDING: ReadonlyMap<string, ScriptFacts["runtime"]> = new Map([
  [".sh", "sh"],
  [".bash", "bash"],
  [".py", "python"],
  [".js", "node"],
  [".mjs", "node"],
  [".cjs", "node"],
  [".ts", "node"],
  [".mts", "node"],
  [".rb", "ruby"],
  [".pl", "perl"],
]);

const RUNTIME_OF_COMMAND: ReadonlyMap<string, ScriptFacts["runtime"]> = new Map([
  ["bash", "bash"],
  ["sh", "sh"],
  ["dash", "sh"],
  ["python", "python"],
  ["python3", "python"],
  ["node", "node"],
  ["deno", "deno"],
  ["bun", "bun"],
  ["ruby", "ruby"],
  ["perl", "perl"],
]);

/** How a file would be run; undefined for files that are not scripts. */
export function scriptFacts(
  file: SourceFile,
  bytes: Uint8Array,
  kind: ResourceKind,
): ScriptFacts | undefined {
  const shebang = readShebang(bytes);
  const dot = file.path.lastIndexOf(".");
  const byEnding = dot > file.path.lastIndexOf("/") ? RUNTIME_OF_ENDING.get(file.path.slice(dot)) : undefined;
  if (kind !== "script" && shebang === undefined && !file.executable) return undefined;
  if (shebang === undefined) return { executable: file.executable, runtime: byEnding ?? "unknown" };
  return {
    executable: file.executable,
    shebang,
    runtime: RUNTIME_OF_COMMAND.get(commandOf(shebang)) ?? "shebang",
  };
}

function readShebang(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== 0x23 || bytes[1] !== 0x21) return undefined;
  const head = Buffer.from(bytes.subarray(0, MAX_SHEBANG_BYTES)).toString("latin1");
  return (head.split(/[\r\n]/, 1)[0] ?? "").trim();
}

// `#!/usr/bin/env -S deno run -A` asks for deno; `deno-runner` is another program.
function commandOf(shebang: string): string {
  const words = shebang.slice(2).trim().split(/\s+/);
  const isEnv = words[0]?.endsWith("/env") === true;
  const word = isEnv ? words.slice(1).find((part) => !part.startsWith("-") && !part.includes("=")) : words[0];
  return word?.slice(word.lastIndexOf("/") + 1) ?? "";
}
