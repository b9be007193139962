import type { TreeFile } from "@skillet/core";
import { parseJson } from "@skillet/kit/json";

// A later format gets another first line, so that a store of either version treats the other's trees as absent.
const HEAD = "skillet-tree 1\n";
const ENTRY = /^(644|755|120000) (0|[1-9][0-9]{0,14})$/;

/** A tree as one file: for each file a line with mode, size and path as JSON, an empty line, then all bytes. */
export function encodeTree(files: readonly TreeFile[]): Uint8Array {
  const lines = files.map(({ path, mode, bytes }) => `${mode} ${bytes.length} ${JSON.stringify(path)}\n`);
  return Buffer.concat([Buffer.from(`${HEAD}${lines.join("")}\n`), ...files.map(({ bytes }) => bytes)]);
}

/** Reads what `encodeTree` wrote; undefined for anything else. */
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
