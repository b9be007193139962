import { pathToFileURL } from "node:url";
import { showLocalPath } from "./parse-source.ts";
import type { ArchiveSource, GitSource, Source } from "./source.ts";
import { encodeText, showTail } from "./source-tail.ts";

/** Writes a source in the one form that `parseSource` reads back as the same. */
export function showSource(source: Source): string {
  switch (source.kind) {
    case "git":
      return showGit(source);
    case "local":
      return `${showLocalPath(source.path)}${showPick(source.pick)}`;
    case "archive":
      return showArchive(source);
    case "skill-file":
      return source.url;
    case "well-known":
      return `well-known:${source.base}/${source.pick === undefined ? "" : encodeURIComponent(source.pick)}`;
    case "npm":
      return `npm:${source.name}${source.version === undefined ? "" : `@${source.version}`}${showTail(pickOf(source))}`;
    case "oci": {
      const tag = source.tag === undefined ? "" : `:${source.tag}`;
      const digest = source.digest === undefined ? "" : `@${source.digest}`;
      return `oci://${source.registry}/${source.repository}${tag}${digest}${showTail(pickOf(source))}`;
    }
  }
}

function showGit(source: GitSource): string {
  const { url, ref, folder, refAndFolder } = source;
  if (refAndFolder !== undefined) {
    const page = /^https:\/\/github\.com\/[^/]+\/[^/]+$/.test(url) ? "tree" : "-/tree";
    const path = refAndFolder.split("/").map(encodeURIComponent).join("/");
    return `${url}/${page}/${path}${showTail(pickOf(source))}`;
  }
  const tail = showTail({ ...(ref !== undefined && { ref }), ...pickOf(source) });
  const shorthand = /^https:\/\/github\.com\/([A-Za-z0-9_-]+\/[A-Za-z0-9._-]+)$/.exec(url)?.[1];
  if (shorthand !== undefined) {
    return `${shorthand}${folder === undefined ? "" : `/${encodeText(folder)}`}${tail}`;
  }
  return `git:${url}${folder === undefined ? "" : `//${encodeText(folder)}`}${tail}`;
}

function showArchive({ location, pick }: ArchiveSource): string {
  const tail = showTail(pick === undefined ? {} : { pick });
  return location.startsWith("/") ? `${pathToFileURL(location).href}${tail}` : `${location}${tail}`;
}

function showPick(pick: string | undefined): string {
  return pick === undefined ? "" : `@${pick}`;
}

function pickOf({ pick }: { readonly pick?: string }): { readonly pick?: string } {
  return pick === undefined ? {} : { pick };
}
