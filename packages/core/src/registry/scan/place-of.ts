import type { FoundSkill } from "../../source/local/found-skill.ts";
import type { LocalSource } from "../../source/local/local-source.ts";

interface Place {
  readonly folder: string;
  readonly file: string;
}

/** A skill file's path in messages. */
export function labelOf(source: LocalSource, { folder, file }: Place): string {
  return source.toolPath(folder === "" ? file : `${folder}/${file}`);
}

/** The name a skill has by its place: its folder's, or a command file's without `.md`. */
export function directoryNameOf(source: LocalSource, { folder, file }: Place): string {
  if (source.layout === "commands") return file.slice(0, -".md".length);
  const path = folder === "" ? source.root : folder;
  const slash = path.lastIndexOf("/");
  return slash < 0 ? path : path.slice(slash + 1);
}

/** The same for a folder on its way through a scan, without cutting its whole path. */
export function directoryNameIn(source: LocalSource, { absolute, linkPath }: FoundSkill): string {
  if (linkPath === undefined && absolute === source.canonicalRoot)
    return directoryNameOf(source, { folder: "", file: "" });
  const path = linkPath ?? absolute;
  return path.slice(path.lastIndexOf("/") + 1);
}
