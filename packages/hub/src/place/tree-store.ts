import { randomBytes } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { type Digest, treeDigestOf } from "@skillet/kit/digest";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { ensureHome, readBoundedFile, syncDirectory, writeSynced } from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";

const MAX_TREE_BYTES = 512 * 1024 * 1024;

/** The trees of installed and earlier versions, by digest; used by rollbacks and offline installs. */
export class TreeStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async put(files: readonly TreeFile[]): Promise<Digest> {
    const digest = treeDigestOf(files);
    if ((await this.get(digest)) !== undefined) return digest;
    await ensureHome(this.folder);
    const temporary = join(this.folder, `${randomBytes(8).toString("hex")}.tmp`);
    try {
      await writeSynced(temporary, encodeTree(files), { mode: 0o600 });
      await rename(temporary, this.#path(digest));
      await syncDirectory(this.folder);
    } catch (error) {
      await rm(temporary, { force: true });
      if (SkilletError.isInstance(error)) throw error;
      const { folder } = this;
      const errno = errorCode(error) ?? "unknown error";
      const message = `A skill could not be kept in ${folder} (${errno}); nothing was installed. Check its permissions and free space.`;
      throw new SkilletError("store-unwritable", message, { data: { folder, errno }, cause: error });
    }
    return digest;
  }

  /** The tree with exactly this digest; a damaged one is removed and counts as absent. */
  async get(digest: Digest): Promise<readonly TreeFile[] | undefined> {
    const path = this.#path(digest);
    const files = readTree(path);
    if (files === undefined) return undefined;
    if (files !== "damaged" && treeDigestOf(files) === digest) return files;
    await rm(path, { recursive: true, force: true });
    return undefined;
  }

  #path(digest: Digest): string {
    const hex = digest.slice("sha256:".length);
    // Digests come from locks, and a name with a slash would leave the folder.
    if (!/^[0-9a-f]{64}$/.test(hex))
      throw new SkilletError(
        "digest-invalid",
        `${JSON.stringify(digest)} is not the sha256 digest of a tree.`,
      );
    return join(this.folder, `${hex}.tree`);
  }
}

function readTree(path: string): readonly TreeFile[] | "damaged" | undefined {
  try {
    const bytes = readBoundedFile(path, { maxBytes: MAX_TREE_BYTES });
    return bytes && (decodeTree(bytes) ?? "damaged");
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    if (error.code === "not-a-file" || error.code === "file-too-large") return "damaged";
    throw error;
  }
}

// A later format gets another first line, so that either version treats the other's trees as absent.
const HEAD = "skillet-tree 1\n";
const ENTRY = /^(644|755|120000) (0|[1-9][0-9]{0,14})$/;

/** A tree as one file: per file a line with mode, size and path as JSON, then an empty line, then all bytes. */
export function encodeTree(files: readonly TreeFile[]): Uint8Array {
  const lines = files.map(({ path, mode, bytes }) => `${mode} ${bytes.length} ${JSON.stringify(path)}\n`);
  return Buffer.concat([Buffer.from(`${HEAD}${lines.join("")}\n`), ...files.map(({ bytes }) => bytes)]);
}

export function decodeTree(bytes: Uint8Array): readonly TreeFile[] | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.subarray(0, HEAD.length).toString("latin1") !== HEAD) return undefined;
  const split = buffer.indexOf("\n\n", HEAD.length - 1);
  if (split === -1) return undefined;
  const files: TreeFile[] = [];
  let offset = split + 2;
  const table = buffer.subarray(HEAD.length, Math.max(split, HEAD.length)).toString("utf8");
  for (const line of table === "" ? [] : table.split("\n")) {
    const at = line.indexOf('"');
    const match = ENTRY.exec(line.slice(0, Math.max(at - 1, 0)));
    const path = at === -1 ? undefined : parseJson(line.slice(at));
    if (match === null || typeof path !== "string") return undefined;
    const end = offset + Number(match[2]);
    if (end > buffer.length) return undefined;
    files.push({ path, mode: match[1] as TreeFile["mode"], bytes: buffer.subarray(offset, end) });
    offset = end;
  }
  return offset === buffer.length ? files : undefined;
}
