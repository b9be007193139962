import type { Stats } from "node:fs";
import { digestBytes } from "@skillet/kit/digest";
import { statusOf } from "@skillet/kit/files";
import { isSkillFileName } from "../skill-file-name.ts";
import type { TreeStamp } from "../skill-source.ts";
import { listSkillFiles } from "./list-skill-files.ts";

// About a dozen files. Shorter stamps are not hashed: loading crypto costs more than checking fifty skills.
const MAX_PLAIN_CHARACTERS = 1_000;

/** Undefined if something is unreadable. Includes nested skills, as a verdict does. */
export function stampTree(absolute: string): TreeStamp | undefined {
  const status = statusOf(absolute);
  if (status === undefined) return undefined;
  let text = "";
  let changedMs = 0;
  const add = (path: string, { size, mtimeMs, ctimeMs, ino, mode, dev }: Stats): void => {
    // No path has an empty segment, so no path can look like the end of another entry.
    text += `${mode} ${size} ${mtimeMs} ${ctimeMs} ${ino} ${dev} ${path}//`;
    changedMs = Math.max(changedMs, mtimeMs, ctimeMs);
  };
  add("", status);
  if (status.isDirectory()) {
    const { files, diagnostics } = listSkillFiles(absolute, "", "folder", add);
    // The target of a link is elsewhere and may change without a trace here.
    const isLinked = files.some(({ path, kind }) => kind === "link" && isSkillFileName(path));
    if (isLinked || diagnostics.length > 0) return undefined;
  }
  return { text: text.length > MAX_PLAIN_CHARACTERS ? digestBytes(Buffer.from(text)) : text, changedMs };
}
