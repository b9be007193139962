import { isUtf8 } from "node:buffer";
import { dirname, isAbsolute, join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, readBoundedFile } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { Drift } from "./find-drift.ts";
import { contains } from "./locate-target.ts";
import type { TreeStore } from "./tree-store.ts";

export type SideChange = "unchanged" | "added" | "changed" | "removed";

export interface FileDifference {
  readonly path: string;
  readonly here: SideChange;
  readonly there: SideChange;
  readonly conflict: boolean;
  /** From the version that both began with to the copy here; absent for what is not text, and where nothing changed. */
  readonly hereDiff?: string;
  readonly thereDiff?: string;
}

// Beyond it a difference is nothing that anyone reads.
const MAX_DIFF_BYTES = 512 * 1024;

/** Compares an installed version, the copy that someone may have edited, and a new version, file by file. */
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

interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** The most steps between two texts that are searched for; beyond it everything counts as replaced. */
const MAX_EDITS = 1_000;
const CONTEXT_LINES = 3;

export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const left = splitLines(before);
  const right = splitLines(after);
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  return [
    ...left.slice(0, start).map((text): DiffLine => ({ kind: "same", text })),
    ...diffMiddle(left.slice(start, leftEnd), right.slice(start, rightEnd)),
    ...left.slice(leftEnd).map((text): DiffLine => ({ kind: "same", text })),
  ];
}

export function renderDiff(lines: readonly DiffLine[]): string {
  const shown = new Set<number>();
  for (const [index, line] of lines.entries())
    if (line.kind !== "same")
      for (let near = index - CONTEXT_LINES; near <= index + CONTEXT_LINES; near++) shown.add(near);
  const output: string[] = [];
  let hunk: DiffLine[] = [];
  let [leftLine, rightLine] = [1, 1];
  let [leftStart, rightStart] = [1, 1];
  const flush = (): void => {
    if (hunk.length === 0) return;
    const count = (kind: DiffLine["kind"]): number => hunk.filter((line) => line.kind !== kind).length;
    output.push(`@@ -${leftStart},${count("added")} +${rightStart},${count("removed")} @@`);
    for (const { kind, text } of hunk)
      output.push(`${kind === "same" ? " " : kind === "added" ? "+" : "-"}${text}`);
    hunk = [];
  };
  for (const [index, line] of lines.entries()) {
    if (shown.has(index)) {
      if (hunk.length === 0) [leftStart, rightStart] = [leftLine, rightLine];
      hunk.push(line);
    } else flush();
    if (line.kind !== "added") leftLine += 1;
    if (line.kind !== "removed") rightLine += 1;
  }
  flush();
  return output.join("\n");
}

function splitLines(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += "\n\\ no newline at the end";
  return lines;
}

// Myers' greedy search; the frontier of each step is kept to walk back, which MAX_EDITS bounds to a few megabytes.
function diffMiddle(left: readonly string[], right: readonly string[]): readonly DiffLine[] {
  const limit = Math.min(left.length + right.length, MAX_EDITS);
  const frontiers: Int32Array[] = [];
  let frontier = new Int32Array(3);
  for (let edits = 0; edits <= limit; edits++) {
    const next = new Int32Array(2 * edits + 3);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepTo(frontier, edits, diagonal);
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x += 1;
      next[diagonal + edits + 1] = x;
      if (x >= left.length && x - diagonal >= right.length) return walkBack(frontiers, left, right);
    }
    frontiers.push(next);
    frontier = next;
  }
  return [
    ...left.map((text): DiffLine => ({ kind: "removed", text })),
    ...right.map((text): DiffLine => ({ kind: "added", text })),
  ];
}

// A frontier of `edits - 1` steps has diagonal d at index d + edits.
function stepTo(frontier: Int32Array, edits: number, diagonal: number): number {
  if (edits === 0) return 0;
  const below = frontier[diagonal - 1 + edits] ?? 0;
  const above = frontier[diagonal + 1 + edits] ?? 0;
  return goesDown(frontier, edits, diagonal) ? above : below + 1;
}

function goesDown(frontier: Int32Array, edits: number, diagonal: number): boolean {
  if (diagonal === -edits) return true;
  if (diagonal === edits) return false;
  return (frontier[diagonal - 1 + edits] ?? 0) < (frontier[diagonal + 1 + edits] ?? 0);
}

function walkBack(
  frontiers: readonly Int32Array[],
  left: readonly string[],
  right: readonly string[],
): readonly DiffLine[] {
  const reversed: DiffLine[] = [];
  let x = left.length;
  let y = right.length;
  for (let edits = frontiers.length; edits > 0; edits--) {
    const frontier = frontiers[edits - 1] ?? new Int32Array();
    const diagonal = x - y;
    const isDown = goesDown(frontier, edits, diagonal);
    const previous = isDown ? diagonal + 1 : diagonal - 1;
    const startX = frontier[previous + edits] ?? 0;
    const startY = startX - previous;
    const [afterX, afterY] = isDown ? [startX, startY + 1] : [startX + 1, startY];
    for (; x > afterX && y > afterY; x--, y--) reversed.push({ kind: "same", text: left[x - 1] ?? "" });
    if (isDown) reversed.push({ kind: "added", text: right[startY] ?? "" });
    else reversed.push({ kind: "removed", text: left[startX] ?? "" });
    [x, y] = [startX, startY];
  }
  for (; x > 0; x--) reversed.push({ kind: "same", text: left[x - 1] ?? "" });
  return reversed.reverse();
}

// Beyond it no one reads a difference; the file then counts as changed, without its lines.
const MAX_EDITED_BYTES = 4 * 1024 * 1024;

interface CompareOptions {
  readonly root: string;
  readonly entry: LockEntry;
  readonly drift: readonly Drift[];
  readonly theirs: readonly TreeFile[];
  readonly store: TreeStore;
}

/** Undefined where the installed version was not kept. */
export async function compareEdits(options: CompareOptions): Promise<readonly FileDifference[] | undefined> {
  const { entry, store, theirs } = options;
  const base = await store.get(entry.digest);
  return base && threeWay(base, editedTree(base, options), theirs);
}

// No text, so that nothing of it is shown, and the same as no other file.
const UNREAD = Uint8Array.of(0);

// Everything that did not drift is what was installed, so only the rest is read again.
function editedTree(base: readonly TreeFile[], { root, entry, drift }: CompareOptions): readonly TreeFile[] {
  const [own] = entry.targets;
  if (own === undefined) return base;
  const files = new Map(base.map((file) => [file.path, file]));
  const folder = isAbsolute(own.path) ? own.path : join(root, own.path);
  for (const { target, file, kind } of drift) {
    if (target !== own.path || file === "" || file.endsWith("/")) continue;
    const bytes = kind === "missing" || kind === "type" ? undefined : readEdited(folder, file);
    const mode = files.get(file)?.mode ?? "644";
    if (bytes === undefined) files.delete(file);
    else files.set(file, { path: file, mode, bytes });
  }
  return [...files.values()];
}

// A link would show someone's key, or any file, in the comparison; that the file is gone is all there is to say.
function readEdited(folder: string, file: string): Uint8Array | undefined {
  const path = join(folder, file);
  if (!contains(canonicalPath(folder), canonicalPath(dirname(path)))) return undefined;
  try {
    return readBoundedFile(path, { maxBytes: MAX_EDITED_BYTES, links: "refuse" });
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    // It is still there, and other than it was; what is not a plain file any more is not.
    return error.code === "file-too-large" ? UNREAD : undefined;
  }
}
