import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { isSkillFileName } from "../skill-file-name.ts";
import type { TreeStamp } from "../skill-source.ts";
import { listSkillFiles } from "./list-skill-files.ts";
import { statusOf } from "./status-of.ts";

/** Undefined where something cannot be looked at. Nested skills count here too, as they do for a verdict. */
export function stampTree(absolute: string): TreeStamp | undefined {
  const status = statusOf(absolute);
  if (status === undefined) return undefined;
  const hash = createHash("sha256");
  let changedMs = 0;
  const add = (path: string, { size, mtimeMs, ctimeMs, ino, mode, dev }: Stats): void => {
    hash.update(`${mode} ${size} ${mtimeMs} ${ctimeMs} ${ino} ${dev} ${path}\0`);
    changedMs = Math.max(changedMs, mtimeMs, ctimeMs);
  };
  add("", status);
  if (status.isDirectory()) {
    const { files, diagnostics } = listSkillFiles(absolute, "", "folder", add);
    // The text of a link lies elsewhere, and may change without a trace here.
    const isLinked = files.some(({ path, kind }) => kind === "link" && isSkillFileName(path));
    if (isLinked || diagnostics.length > 0) return undefined;
  }
  return { text: hash.digest("hex"), changedMs };
}
