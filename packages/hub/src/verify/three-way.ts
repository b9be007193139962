import { isUtf8 } from "node:buffer";
import type { TreeFile } from "@skillet/core";
import { compareByteOrder } from "@skillet/kit/order";
import { lineDiff, renderDiff } from "./line-diff.ts";

/** What became of a file on one side since the version that both began with. */
export type SideChange = "unchanged" | "added" | "changed" | "removed";

/** One file that is not the same everywhere. */
export interface FileDifference {
  readonly path: string;
  /** What somebody did to the installed copy. */
  readonly here: SideChange;
  /** What the new version did. */
  readonly there: SideChange;
  /** Both did something, and not the same. */
  readonly conflict: boolean;
  /** From the version that both began with to the copy here; absent for what is no text, and where nothing changed. */
  readonly hereDiff?: string;
  /** From the version that both began with to the new one. */
  readonly thereDiff?: string;
}

// Beyond it a difference is nothing that anybody reads.
const MAX_DIFF_BYTES = 512 * 1024;

/**
 * Compares an installed version, the copy that somebody may have edited, and a new version, file by file.
 *
 * @example
 * const edited = threeWay(installed, onDisk, offered).filter(({ conflict }) => conflict);
 */
export function threeWay(
  base: readonly TreeFile[],
  ours: readonly TreeFile[],
  theirs: readonly TreeFile[],
): readonly FileDifference[] {
  const [before, here, there] = [base, ours, theirs].map(
    (files) => new Map(files.map((file) => [file.path, file])),
  );
  const paths = [...new Set([base, ours, theirs].flatMap((files) => files.map(({ path }) => path)))];
  return paths
    .sort(compareByteOrder)
    .map((path) => compareFile(path, before?.get(path), here?.get(path), there?.get(path)))
    .filter((difference) => difference.here !== "unchanged" || difference.there !== "unchanged");
}

function compareFile(
  path: string,
  base: TreeFile | undefined,
  ours: TreeFile | undefined,
  theirs: TreeFile | undefined,
): FileDifference {
  const here = sideChange(base, ours);
  const there = sideChange(base, theirs);
  const hereDiff = textDiff(base, ours);
  const thereDiff = textDiff(base, theirs);
  return {
    path,
    here,
    there,
    conflict: here !== "unchanged" && there !== "unchanged" && !isSame(ours, theirs),
    ...(hereDiff && { hereDiff }),
    ...(thereDiff && { thereDiff }),
  };
}

function sideChange(before: TreeFile | undefined, after: TreeFile | undefined): SideChange {
  if (isSame(before, after)) return "unchanged";
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

function isSame(left: TreeFile | undefined, right: TreeFile | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.mode === right.mode && Buffer.compare(left.bytes, right.bytes) === 0;
}

function textDiff(before: TreeFile | undefined, after: TreeFile | undefined): string | undefined {
  const [left, right] = [textOf(before), textOf(after)];
  return left === undefined || right === undefined ? undefined : renderDiff(lineDiff(left, right));
}

function textOf(file: TreeFile | undefined): string | undefined {
  if (file === undefined) return "";
  const { bytes } = file;
  if (bytes.length > MAX_DIFF_BYTES || bytes.includes(0) || !isUtf8(bytes)) return undefined;
  return new TextDecoder().decode(bytes);
}
