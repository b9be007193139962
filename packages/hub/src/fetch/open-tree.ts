import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import type { OpenedSource } from "./opened-source.ts";
import type { Resolved } from "./resolved.ts";

/** Makes a source of files that are all in memory; links are never among them. */
export function openTree(options: {
  readonly resolved: Resolved;
  readonly identity?: string;
  readonly files: readonly TreeFile[];
  readonly diagnostics?: readonly Diagnostic[];
}): OpenedSource {
  const files = options.files.toSorted((left, right) => compareByteOrder(left.path, right.path));
  const byPath = new Map(files.map((file) => [file.path, file]));
  let isOpen = true;
  return {
    resolved: options.resolved,
    ...(options.identity !== undefined && { identity: options.identity }),
    diagnostics: options.diagnostics ?? [],
    entries: files.map(({ path, mode, bytes }) => ({ path, mode, size: bytes.length })),
    async read(paths, { signal } = {}) {
      if (!isOpen) throw closedSource();
      signal?.throwIfAborted();
      return paths.map((path) => byPath.get(path) ?? missingEntry(path));
    },
    async close() {
      isOpen = false;
      byPath.clear();
    },
  };
}

/** What a source throws that is read after its end. */
export function closedSource(): SkilletError {
  return new SkilletError(
    "source-closed",
    "The source was closed, so nothing of it can be read; open it again.",
  );
}

/** Throws what a source throws that has no such file. */
export function missingEntry(path: string): never {
  throw new SkilletError(
    "source-entry-missing",
    `The source has no file ${JSON.stringify(path)}; ask for one that it lists.`,
    { data: { path } },
  );
}
