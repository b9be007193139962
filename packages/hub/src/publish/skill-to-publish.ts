import type { TreeFile } from "@skillet/core";
import { type PackedFile, packTar } from "@skillet/kit/archive";
import { type Digest, treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { gzipSync } from "fflate";
import { findOffers } from "../discover/find-offers.ts";
import { agentPluginOf } from "../discover/plugin-documents.ts";
import { DEFAULT_HUB_LIMITS } from "../hub-limits.ts";
import { readItem } from "../inspect/read-item.ts";
import { type Envelope, signTree } from "../signature/envelope.ts";
import type { SigningKey } from "../signature/key.ts";
import { unpackArchive } from "../sources/archive.ts";
import { checkEntryPath, findCollisions } from "../sources/entry-path.ts";
import type { FetchContext, OpenedSource } from "../sources/fetch-context.ts";
import { withOpened } from "../sources/open-source.ts";
import { rootName } from "../sources/source.ts";

/** A skill or an Agent Plugin to publish. */
export interface SkillToPublish {
  readonly kind?: "skill" | "plugin";
  readonly name: string;
  readonly description: string;
  readonly files: readonly TreeFile[];
  readonly version?: string;
  readonly source?: string;
  /** For a plugin: each folder is scanned separately. */
  readonly skillFolders?: readonly string[];
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;

/** Refuses a skill that clients of an index or a registry would silently leave out. */
export function checkSkillToPublish({ kind, name, description }: SkillToPublish): void {
  // A plugin's name was checked with its manifest, and may contain dots.
  if (kind !== "plugin" && (name.length > MAX_NAME || !NAME.test(name))) {
    const what = `its name ${JSON.stringify(name.slice(0, MAX_NAME))} is not lower-case letters and digits with single hyphens between them, at most ${MAX_NAME}`;
    throw publishRefused(name, what, "rename it in SKILL.md");
  }
  if (description.trim() !== "" && description.length <= MAX_DESCRIPTION) return;
  const what = `its description has ${description.length} characters`;
  throw publishRefused(name, what, `write one of at most ${MAX_DESCRIPTION}`);
}

export function publishRefused(name: string, what: string, remedy: string): SkilletError {
  return new SkilletError("publish-refused", `${name} cannot be published: ${what}; ${remedy}.`, {
    data: { name },
  });
}

/** Reads the current folder of a skill or an Agent Plugin; refuses what is invalid or could not be installed. */
export async function readSkillToPublish(path: string, context: FetchContext): Promise<SkillToPublish> {
  return withFolder(path, context, async (opened, rootFolder) => {
    const kind = (await isAgentPlugin(opened)) ? "plugin" : "skill";
    const { limits, signal } = context;
    const offer = { kind, name: rootFolder, folder: "" } as const;
    const reading = await readItem(opened, offer, { limits, rootName: rootFolder, signal });
    const fault = reading.diagnostics.find(({ severity }) => kind === "plugin" && severity === "error");
    if (fault !== undefined) {
      const place = `${path}/${fault.file}${fault.range === undefined ? "" : `:${fault.range.line}`}`;
      throw publishRefused(rootFolder, `${place}: ${fault.message.replace(/\.$/, "")}`, "correct it first");
    }
    if (reading.state === "unfit")
      throw publishRefused(rootFolder, `${path}: ${reading.problem}`, "correct it first");
    const { manifest, parts, files } = reading;
    const { name, description, version } = parts ?? {
      name: manifest?.name,
      description: manifest?.description,
      version: manifest?.metadata.version,
    };
    return {
      kind,
      name: name ?? reading.name,
      description: description ?? "",
      files,
      ...(parts && { skillFolders: parts.skills.map(({ folder }) => folder) }),
      ...(typeof version === "string" && version !== "" && { version }),
    };
  });
}

async function isAgentPlugin(opened: OpenedSource): Promise<boolean> {
  if (!opened.entries.some(({ path }) => path === "plugin.json")) return false;
  return agentPluginOf(await opened.read(["plugin.json"])) !== undefined;
}

/** As an install would find them, at any depth; empty if the folder is itself a skill or an Agent Plugin. */
export async function findSkillsBelow(path: string, context: FetchContext): Promise<readonly string[]> {
  return withFolder(path, context, async (opened, name) => {
    if (await isAgentPlugin(opened)) return [];
    const request = { folder: "", names: [], rootName: name, signal: context.signal };
    const { offers } = await findOffers(opened, request);
    const folders = offers.filter(({ kind }) => kind === "skill").map(({ folder }) => folder);
    return folders.includes("") ? [] : [...new Set(folders)].sort(compareByteOrder);
  });
}

function withFolder<Result>(
  path: string,
  context: FetchContext,
  use: (opened: OpenedSource, name: string) => Promise<Result>,
): Promise<Result> {
  const source = { kind: "local", path } as const;
  return withOpened(source, context, (opened) => use(opened, rootName(source)));
}

export function signSkill(
  { name, version, source }: SkillToPublish,
  key: SigningKey,
  treeDigest: Digest,
): Envelope {
  const statement = { name, treeDigest, ...(version && { version }), ...(source && { source }) };
  return signTree({ key, statement });
}

/** Packs a skill and unpacks it as clients will: what could not be installed is not published. */
export function packChecked({ name, files }: SkillToPublish): Uint8Array {
  const bytes = packTarGz(files);
  const { maxDownloadBytes } = DEFAULT_HUB_LIMITS;
  if (bytes.length > maxDownloadBytes) {
    const what = `packed it has ${bytes.length} bytes, and clients take ${maxDownloadBytes}`;
    throw publishRefused(name, what, "move large files elsewhere");
  }
  const unpacked = unpackArchive(bytes, { name: `${name}.tar.gz`, limits: DEFAULT_HUB_LIMITS });
  const [expected, found] = [treeDigestOf(files), treeDigestOf(unpacked)];
  if (expected === found) return bytes;
  const message = `${name} was packed and unpacked again, and came out as ${found} instead of ${expected}; nothing was published. Please report this.`;
  throw new SkilletError("pack-damaged", message, { data: { expected, found } });
}

const OS_BYTE = 9;
const OS_UNKNOWN = 255;

/**
 * Packs a tree into a tar.gz: same tree, same bytes, on any machine.
 *
 * Compressed with a JavaScript library, because Node's zlib gives other bytes on other processors and in
 * other versions. Another version of the library may give other bytes too, so digests are those of the
 * written bytes, and the tree has a digest of its own.
 */
export function packTarGz(files: readonly TreeFile[]): Uint8Array {
  // Fixes the memory level: the default is computed with a logarithm that engines may round differently.
  const bytes = gzipSync(packTar(packedFiles(files)), { level: 9, mem: 4, mtime: 0 });
  bytes[OS_BYTE] = OS_UNKNOWN;
  return bytes;
}

/** The files in byte order of path; refuses everything that clients could not unpack. */
export function packedFiles(files: readonly TreeFile[]): readonly PackedFile[] {
  if (!files.some(({ path }) => path === "SKILL.md") && agentPluginOf(files)?.manifest === undefined)
    throw refused("it has no SKILL.md at its root", "publish the folder of one skill");
  const collision = findCollisions(files.map(({ path }) => path));
  if (collision !== undefined) throw refused(collision, "rename one of the files");
  return files.map(checkFile).sort((left, right) => compareByteOrder(left.path, right.path));
}

function checkFile({ path, mode, bytes }: TreeFile): PackedFile {
  const problem = checkEntryPath(path);
  if (mode === "120000")
    throw refused(`${path} is a link, which no client unpacks`, "put the file itself there");
  if (path.startsWith("__MACOSX/"))
    throw refused(`${path} was added by an archiver and is left out by clients`, "remove it");
  if (problem !== undefined) throw refused(`${JSON.stringify(path)} ${problem}`, "rename it");
  return { path, mode, bytes };
}

function refused(what: string, remedy: string): SkilletError {
  return new SkilletError("pack-refused", `The skill cannot be packed: ${what}; ${remedy}.`);
}
