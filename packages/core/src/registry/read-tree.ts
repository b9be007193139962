import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { showName } from "@skillet/kit/text";
import type { SkillSource } from "../source/skill-source.ts";
import { ambiguous, type IndexOptions, uncovered } from "./index-resources.ts";
import { TreeFileReader } from "./read-tree-file.ts";
import type { TreeFile } from "./tree-file.ts";

/**
 * Reads every file of a skill, one at a time and in byte order of path, under the bounds of its index.
 *
 * Throws `skill-tree-unreadable` where an index would lack its tree's digest.
 *
 * @example
 * for await (const { path, mode, bytes } of readTree(source, "pdf-forms", { isSkill })) stage(path, mode, bytes);
 */
export async function* readTree(
  source: SkillSource,
  folder: string,
  options: IndexOptions,
): AsyncGenerator<TreeFile, void, undefined> {
  const listing = await source.listFiles(folder, options);
  const faults = [
    ...listing.diagnostics,
    ...uncovered(source, folder, listing, options),
    ...ambiguous(source, folder, listing),
  ];
  for (const fault of faults) if (fault.severity === "error") throw unreadable(fault);
  const reader = new TreeFileReader(source, folder);
  const files = [...listing.files].sort((left, right) => compareByteOrder(left.path, right.path));
  for (const listed of files) {
    options.signal?.throwIfAborted();
    const file = await reader.read(listed, options);
    if ("code" in file) throw unreadable(file);
    yield file;
  }
}

function unreadable({ code, message, file, hint }: Diagnostic): SkilletError {
  const next = hint === undefined ? "" : ` ${hint}`;
  return new SkilletError("skill-tree-unreadable", `${showName(file)}: ${message}${next}`, {
    data: { file, reason: code },
  });
}
