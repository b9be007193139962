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
