import { isUtf8 } from "node:buffer";
import { digestBytes, digestTree, type TreeEntry, treeEntry } from "@skillet/kit/digest";
import { present } from "@skillet/kit/json";
import { pathBelow } from "../source/check-relative-path.ts";
import type { SkillSource, SourceFile } from "../source/skill-source.ts";
import { hasBeyond } from "./read-beyond.ts";
import { listingFaults, MAX_RESOURCE_BYTES, readFiles, type TreeOptions, tooLarge } from "./read-tree.ts";
import type { Resource, ResourceIndex, ResourceKind, ScriptFacts } from "./resource.ts";

const KINDS: ReadonlyMap<string, ResourceKind> = new Map([
  ["references", "reference"],
  ["assets", "asset"],
  ["templates", "template"],
  ["scripts", "script"],
]);

/** Digests every file of a skill; the tree gets a digest only if every file was read whole. */
export async function indexResources(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  options: TreeOptions,
): Promise<ResourceIndex> {
  const listing = await source.listFiles(skill.folder, options);
  const resources: Resource[] = [];
  const entries: TreeEntry[] = [];
  const diagnostics = listingFaults(source, skill.folder, listing, options.isSkill);
  for await (const [listed, file] of readFiles(source, skill.folder, listing.files, options)) {
    if ("code" in file) {
      diagnostics.push(file);
      continue;
    }
    const entry = treeEntry(file);
    entries.push(entry);
    if (file.path !== skill.file) resources.push(describe(listed, file.bytes, entry.digest));
  }
  const readDigest = digestTree(entries);
  const complete = diagnostics.every(({ severity }) => severity !== "error");
  // The digest of a link is that of its text, which says nothing about its target.
  const isFile = listing.files.some(({ path, kind }) => path === skill.file && kind === "file");
  const skillDigest = isFile ? entries.find(({ path }) => path === skill.file)?.digest : undefined;
  const treeDigest = complete ? readDigest : undefined;
  const reachesBeyond = hasBeyond(listing, skill.file) || undefined;
  return {
    resources,
    diagnostics,
    readDigest,
    ...present({ treeDigest, hasBeyond: reachesBeyond, skillDigest }),
  };
}

/** The index of a command, which is a single file: its folder contains other commands. */
export async function indexCommand(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ResourceIndex> {
  const { bytes, truncated } = await source.read(pathBelow(skill.folder, skill.file), {
    ...options,
    maxBytes: MAX_RESOURCE_BYTES,
  });
  if (truncated)
    return { resources: [], diagnostics: [tooLarge(source.toolPath(pathBelow(skill.folder, skill.file)))] };
  const digest = digestBytes(bytes);
  return { resources: [], treeDigest: digest, readDigest: digest, skillDigest: digest, diagnostics: [] };
}

function describe(file: SourceFile, bytes: Uint8Array, digest: Resource["digest"]): Resource {
  const kind = KINDS.get(file.path.slice(0, Math.max(0, file.path.indexOf("/")))) ?? "other";
  const contentKind = file.kind === "link" ? "link" : isUtf8(bytes) && !bytes.includes(0) ? "text" : "binary";
  const script = file.kind === "link" ? undefined : scriptFacts(file, bytes, kind);
  return { path: file.path, kind, size: bytes.length, digest, contentKind, ...present({ script }) };
}

const MAX_SHEBANG_BYTES = 256;

function byWord(
  table: readonly (readonly [ScriptFacts["runtime"], string])[],
): ReadonlyMap<string, ScriptFacts["runtime"]> {
  return new Map(
    table.flatMap(([runtime, words]) => words.split(" ").map((word) => [word, runtime] as const)),
  );
}

const RUNTIME_OF_ENDING = byWord([
  ["sh", ".sh"],
  ["bash", ".bash"],
  ["python", ".py"],
  ["node", ".js .mjs .cjs .ts .mts"],
  ["ruby", ".rb"],
  ["perl", ".pl"],
]);

const RUNTIME_OF_COMMAND = byWord([
  ["bash", "bash"],
  ["sh", "sh dash"],
  ["python", "python python3"],
  ...(["node", "deno", "bun", "ruby", "perl"] as const).map((name) => [name, name] as const),
]);

/** How a file would be run; undefined for a file that is not a script. */
function scriptFacts(file: SourceFile, bytes: Uint8Array, kind: ResourceKind): ScriptFacts | undefined {
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

// `#!/usr/bin/env -S deno run -A` means deno; `deno-runner` is another program.
function commandOf(shebang: string): string {
  const words = shebang.slice(2).trim().split(/\s+/);
  const isEnv = words[0]?.endsWith("/env") === true;
  const word = isEnv ? words.slice(1).find((part) => !part.startsWith("-") && !part.includes("=")) : words[0];
  return word?.slice(word.lastIndexOf("/") + 1) ?? "";
}
