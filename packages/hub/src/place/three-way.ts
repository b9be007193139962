import { isUtf8 } from "node:buffer";
import { dirname, isAbsolute, join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside, readBoundedFile } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import type { Drift, LockEntry } from "../lock/lock-entry.ts";
import type { TreeStore } from "./tree-store.ts";

type SideChange = "unchanged" | "added" | "changed" | "removed";

export interface FileDifference {
  readonly path: string;
  readonly here: SideChange;
  readonly there: SideChange;
  readonly conflict: boolean;
  /** From the common base to the copy here; absent for files that are not text, and if nothing changed. */
  readonly hereDiff?: string;
  readonly thereDiff?: string;
}

// Nobody reads a longer difference.
const MAX_DIFF_BYTES = 512 * 1024;

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
  const [here, there] = [sideChange(base, ours), sideChange(base, theirs)];
  const [hereDiff, thereDiff] = [textDiff(base, ours), textDiff(base, theirs)];
  const conflict = here !== "unchanged" && there !== "unchanged" && !isSame(ours, theirs);
  return { path, here, there, conflict, ...(hereDiff && { hereDiff }), ...(thereDiff && { thereDiff }) };
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

/** A line of two compared texts, and the side that it is on. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Texts that differ more count as replaced completely. */
const MAX_EDITS = 1_000;
const CONTEXT_LINES = 3;

/** The lines of two texts in order, including those that only one of them has. */
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
  return slideUp([
    ...linesAs("same", left.slice(0, start)),
    ...diffMiddle(left.slice(start, leftEnd), right.slice(start, rightEnd)),
    ...linesAs("same", left.slice(leftEnd)),
  ]);
}

/** If a run of changed lines can be placed in several ways, prefers to start it at a TOML table header. */
function slideUp(lines: DiffLine[]): readonly DiffLine[] {
  for (let start = 1; start < lines.length; start++) {
    const { kind } = lines[start] ?? {};
    if (kind === "same" || lines[start - 1]?.kind !== "same") continue;
    const after = lines.findIndex((line, index) => index > start && line.kind !== kind);
    const end = after < 0 ? lines.length : after;
    const isSame = (up: number): boolean =>
      lines[start - up]?.kind === "same" && lines[start - up]?.text === lines[end - up]?.text;
    let most = 0;
    while (most < start && !/^\[|^$/.test(lines[start - most]?.text ?? "") && isSame(most + 1)) most++;
    if (/^\[/.test(lines[start - most]?.text ?? ""))
      lines.splice(
        start - most,
        most,
        ...lines.splice(end - most, most, ...lines.slice(start - most, start)),
      );
    start = end;
  }
  return lines;
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

/** One step off the diagonal, taken after `x` lines of the left text. */
interface Edit {
  readonly kind: "removed" | "added";
  readonly x: number;
  readonly previous: Edit | undefined;
}

interface Reached {
  readonly x: number;
  readonly last: Edit | undefined;
}

// Myers' greedy search: after each edit, the path that got furthest on every diagonal (x - y).
function diffMiddle(left: readonly string[], right: readonly string[]): readonly DiffLine[] {
  const limit = Math.min(left.length + right.length, MAX_EDITS);
  const furthest = new Map<number, Reached>();
  for (let edits = 0; edits <= limit; edits++)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const last = edits === 0 ? undefined : nextEdit(furthest.get(diagonal - 1), furthest.get(diagonal + 1));
      let x = last === undefined ? 0 : last.x + (last.kind === "removed" ? 1 : 0);
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x += 1;
      if (x >= left.length && x - diagonal >= right.length) return linesOf(last, left, right);
      furthest.set(diagonal, { x, last });
    }
  return [...linesAs("removed", left), ...linesAs("added", right)];
}

function nextEdit(below: Reached | undefined, above: Reached | undefined): Edit {
  const isDown = above !== undefined && (below === undefined || below.x < above.x);
  const from = isDown ? above : below;
  return { kind: isDown ? "added" : "removed", x: from?.x ?? 0, previous: from?.last };
}

function linesOf(
  last: Edit | undefined,
  left: readonly string[],
  right: readonly string[],
): readonly DiffLine[] {
  const edits: Edit[] = [];
  for (let edit = last; edit !== undefined; edit = edit.previous) edits.push(edit);
  const lines: DiffLine[] = [];
  let [x, y] = [0, 0];
  for (const edit of edits.reverse()) {
    lines.push(...linesAs("same", left.slice(x, edit.x)));
    y += edit.x - x;
    x = edit.x;
    const text = edit.kind === "removed" ? left[x++] : right[y++];
    lines.push({ kind: edit.kind, text: text ?? "" });
  }
  return [...lines, ...linesAs("same", left.slice(x))];
}

function linesAs(kind: DiffLine["kind"], texts: readonly string[]): readonly DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

// A larger file counts as changed, without its lines.
const MAX_EDITED_BYTES = 4 * 1024 * 1024;

interface CompareOptions {
  readonly root: string;
  readonly entry: LockEntry;
  readonly drift: readonly Drift[];
  readonly theirs: readonly TreeFile[];
  readonly store: TreeStore;
}

/** Undefined if the installed version was not kept. */
export async function compareEdits(options: CompareOptions): Promise<readonly FileDifference[] | undefined> {
  const { entry, store, theirs } = options;
  const base = await store.get(entry.digest);
  return base && threeWay(base, editedTree(base, options), theirs);
}

// Not text, so none of it is shown; equal to no other file.
const UNREAD = Uint8Array.of(0);

// Everything without drift is as installed, so only the rest is read again.
function editedTree(base: readonly TreeFile[], { root, entry, drift }: CompareOptions): readonly TreeFile[] {
  const own = entry.targets.find(({ path }) => drift.some(({ target }) => target === path));
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

// Through a link, the comparison could show any file, for example a key; such a file counts as removed.
function readEdited(folder: string, file: string): Uint8Array | undefined {
  const path = join(folder, file);
  if (!isInside(canonicalPath(dirname(path)), canonicalPath(folder))) return undefined;
  try {
    return readBoundedFile(path, { maxBytes: MAX_EDITED_BYTES, links: "refuse" });
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    // A file that is too large is still there and changed; anything else is no longer a plain file.
    return error.code === "file-too-large" ? UNREAD : undefined;
  }
}
