import type { Resolved } from "../fetch/resolved.ts";

/**
 * That another version comes from somebody else than the installed one; undefined where it does not.
 *
 * The source that was asked for stays the same, but a marketplace may send whoever follows it to anybody.
 */
export function findMove(before: Resolved, after: Resolved): string | undefined {
  const [old, now] = [publisherOf(before), publisherOf(after)];
  return old === now ? undefined : `it comes from ${now} now, and the installed version from ${old}`;
}

function publisherOf(resolved: Resolved): string {
  switch (resolved.kind) {
    case "local":
      return "this machine";
    case "git":
      return ownerOf(resolved.url);
    case "archive":
      return resolved.location.startsWith("/") ? "this machine" : ownerOf(resolved.location);
    case "skill-file":
      return ownerOf(resolved.url);
    case "well-known":
      return ownerOf(resolved.index);
    case "npm":
      return `the package ${resolved.name}`;
    case "oci":
      return `${resolved.registry}/${resolved.repository}`;
  }
}

// On most hosts the first folder is somebody's name.
function ownerOf(url: string): string {
  const [, scpHost, scpOwner] = /^(?:[^/:@]+@)?([^/:@]+):(?!\/\/)([^/]*)/.exec(url) ?? [];
  if (scpHost !== undefined) return `${scpHost}/${scpOwner ?? ""}`.toLowerCase();
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  if (protocol === "file:") return url;
  const [, owner = "", ...rest] = pathname.split("/");
  return (rest.length === 0 ? host : `${host}/${owner}`).toLowerCase();
}
