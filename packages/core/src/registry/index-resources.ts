import { isUtf8 } from "node:buffer";
import type { Diagnostic } from "../diagnostic.ts";
import { digestBytes, digestTree, type TreeEntry } from "../digest.ts";
import { SkilletError } from "../skillet-error.ts";
import type { FileListing, SkillSource, SourceFile } from "../source/skill-source.ts";
import type { Resource, ResourceIndex, ResourceKind } from "./resource.ts";
import { scriptFacts } from "./script-facts.ts";

// Skills are text and small assets; one file or skill beyond this is data that belongs elsewhere.
const MAX_RESOURCE_BYTES = 64 * 1024 * 1024;
const MAX_SKILL_TREE_BYTES = 512 * 1024 * 1024;

const KINDS: ReadonlyMap<string, ResourceKind> = new Map([
  ["references", "reference"],
  ["assets", "asset"],
  ["templates", "template"],
  ["scripts", "script"],
]);

/** What indexing needs besides the skill. */
export interface IndexOptions {
  /** Whether a skill file, as the agent's tools see it, is a skill that was found; see `uncovered`. */
  readonly isSkill: (path: string) => boolean;
  readonly signal?: AbortSignal;
}

/** Digests every file of a skill; the tree has a digest only if every file was read whole. */
export async function indexResources(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  options: IndexOptions,
): Promise<ResourceIndex> {
  const listing = await source.listFiles(skill.folder, options);
  const resources: Resource[] = [];
  const entries: TreeEntry[] = [];
  const diagnostics: Diagnostic[] = [
    ...listing.diagnostics,
    ...uncovered(source, skill.folder, listing, options),
  ];
  let total = 0;
  for (const file of listing.files) {
    options.signal?.throwIfAborted();
    const path = join(skill.folder, file.path);
    total += file.size;
    const content =
      total > MAX_SKILL_TREE_BYTES ? tooLarge(source.toolPath(path)) : await readFile(source, path, file);
    if ("code" in content) {
      diagnostics.push(content);
      continue;
    }
    const digest = digestBytes(content.bytes);
    entries.push({ path: file.path, mode: modeOf(file), digest, size: content.bytes.length });
    if (file.path !== skill.file) resources.push(describe(file, content.bytes, digest));
  }
  const complete = diagnostics.every(({ severity }) => severity !== "error");
  // A link's digest is that of its text, which says nothing about the file that it leads to.
  const isFile = listing.files.some(({ path, kind }) => path === skill.file && kind === "file");
  const skillDigest = isFile ? entries.find(({ path }) => path === skill.file)?.digest : undefined;
  return {
    resources,
    diagnostics,
    ...(complete ? { treeDigest: digestTree(entries) } : {}),
    ...(skillDigest === undefined ? {} : { skillDigest }),
  };
}

/** The index of a command, which is its one file: the folder around it holds other commands. */
export async function indexCommand(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  options: { readonly signal?: AbortSignal } = {},
): Promise<ResourceIndex> {
  const { bytes, truncated } = await source.read(join(skill.folder, skill.file), {
    ...options,
    maxBytes: MAX_RESOURCE_BYTES,
  });
  if (truncated)
    return { resources: [], diagnostics: [tooLarge(source.toolPath(join(skill.folder, skill.file)))] };
  const digest = digestBytes(bytes);
  return { resources: [], treeDigest: digest, skillDigest: digest, diagnostics: [] };
}

/**
 * Folders whose files would be in no digest: left out here as skills of their own, and found by nobody.
 *
 * A SKILL.md that does not load, or lies deeper than skills are looked for, would otherwise hide a script beside it.
 */
export function uncovered(
  source: SkillSource,
  folder: string,
  listing: FileListing,
  options: Pick<IndexOptions, "isSkill">,
): Diagnostic[] {
  return (listing.nested ?? [])
    .map((file) => source.toolPath(join(folder, file)))
    .filter((path) => !options.isSkill(path))
    .map((file) => ({
      code: "nested-skill-not-found",
      severity: "error",
      message:
        "It makes its folder a skill of its own, but no such skill was found, so no digest covers what lies there.",
      file,
      hint: "See why it does not load, or give the file another name, then reload.",
    }));
}

async function readFile(
  source: SkillSource,
  path: string,
  file: SourceFile,
): Promise<{ bytes: Uint8Array } | Diagnostic> {
  if (file.kind === "link") return { bytes: Buffer.from(file.target ?? "") };
  try {
    const { bytes, truncated } = await source.read(path, { maxBytes: MAX_RESOURCE_BYTES });
    return truncated ? tooLarge(source.toolPath(path)) : { bytes };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return {
      code: "unreadable-skill-resource",
      severity: "error",
      message: error.message,
      file: source.toolPath(path),
      hint: "Make it a file that you may read, or remove it.",
    };
  }
}

function join(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`;
}

function modeOf(file: SourceFile): TreeEntry["mode"] {
  if (file.kind === "link") return "120000";
  return file.executable ? "755" : "644";
}

function describe(file: SourceFile, bytes: Uint8Array, digest: Resource["digest"]): Resource {
  const kind = KINDS.get(file.path.slice(0, Math.max(0, file.path.indexOf("/")))) ?? "other";
  const contentKind = file.kind === "link" ? "link" : isUtf8(bytes) && !bytes.includes(0) ? "text" : "binary";
  const script = file.kind === "link" ? undefined : scriptFacts(file, bytes, kind);
  return {
    path: file.path,
    kind,
    size: bytes.length,
    digest,
    contentKind,
    ...(script === undefined ? {} : { script }),
  };
}

function tooLarge(file: string): Diagnostic {
  return {
    code: "resource-too-large",
    severity: "error",
    message: `The file is larger than ${MAX_RESOURCE_BYTES} bytes, or brings the skill over ${MAX_SKILL_TREE_BYTES}, and was not read.`,
    file,
    hint: "Keep data out of the skill and let a script fetch it.",
  };
}
