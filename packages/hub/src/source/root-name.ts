import type { Source } from "./source.ts";

/** What a skill in the root of a source is called unless it says so itself. */
export function rootName(source: Source): string {
  switch (source.kind) {
    case "git":
      return lastPart(source.folder ?? source.url).replace(/\.git$/, "");
    case "local":
      return lastPart(source.path);
    case "archive":
      return lastPart(new URL(source.location, "file:///").pathname).replace(
        /\.(?:skill|zip|tar|tgz|tar\.gz)$/i,
        "",
      );
    case "skill-file":
      return lastPart(new URL(source.url).pathname.replace(/\/[^/]*$/, ""));
    case "well-known":
      return new URL(source.base).hostname;
    case "npm":
      return lastPart(source.name);
    case "oci":
      return lastPart(source.repository);
  }
}

function lastPart(path: string): string {
  return (
    path
      .split(/[/\\:]/)
      .filter((part) => part !== "")
      .at(-1) ?? "skill"
  );
}
